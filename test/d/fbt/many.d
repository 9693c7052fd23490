/*
 * Entries and returns of many functions go in pairs, in the thread itself.
 * @needs: bpf kprobe
 * @run: -qs %f -c '/bin/sh -c "cat /dev/null; :"'
 * @timeout: 120
 */
fbt::vfs_*:entry, fbt::do_*open*:entry
/pid == $target/
{
	self->depth[probefunc]++;
	entries++;
}

fbt::vfs_*:return, fbt::do_*open*:return
/self->depth[probefunc]/
{
	self->depth[probefunc]--;
	returns++;
}

END { printf("%d %d\n", entries > 5, entries - returns); }
