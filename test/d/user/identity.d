/*
 * Who fired.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c %t
 */
pid$target:a.out:point:entry
{
	printf("%d %d %s %d %d\n", pid == $target, tid == $target, execname,
	    uid == $uid, gid == $gid);
	printf("%d %d %d %d\n", ppid != 0, cpu >= 0, timestamp != 0,
	    walltimestamp > timestamp);
	printf("%s %s %s %d\n", probemod, probefunc, probename,
	    strlen(probeprov) > 3);
	printf("%d %d\n", vtimestamp != 0, epid > 0);
}
