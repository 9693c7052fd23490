/*
 * Each of many functions is the one that it is said to be, also of those that are
 * attached last.
 * @needs: bpf kprobe
 * @run: -qs %f -c 'dd if=/dev/zero of=/dev/null bs=7 count=1000 status=none'
 * @timeout: 120
 */
fbt::write_*:entry, fbt::vfs_*:entry, fbt::generic_*:entry, fbt::security_*:entry,
fbt::__cond_resch*:entry
/pid == $target && probefunc == "write_null"/
{
	null++;
	bytes += arg2;
}

fbt::write_*:entry, fbt::vfs_*:entry, fbt::generic_*:entry, fbt::security_*:entry,
fbt::__cond_resch*:entry
/pid == $target && probefunc == "vfs_write" && arg2 == 7/
{
	writes++;
}

fbt::__cond_resch*:entry
/pid == $target && probefunc == "__cond_resched"/
{
	last++;
}

END { printf("%d calls, %d bytes, %d writes, %d\n", null, bytes, writes, last > 0); }
