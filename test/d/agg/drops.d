/*
 * Keys that have no room are dropped and counted; others go on counting.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -x aggsize=4k -x strsize=1024 -s %f
 * @stderr
 */
BEGIN
{
	@[strjoin("a", "1")] = count(); @[strjoin("a", "2")] = count();
	@[strjoin("a", "3")] = count(); @[strjoin("a", "4")] = count();
	@[strjoin("a", "5")] = count(); @[strjoin("a", "1")] = count();
	@n = count();
	exit(0);
}
END { printa("%s %@d\n", @); printa("%@d\n", @n); }
