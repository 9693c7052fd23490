/*
 * freopen() of what cannot be opened: a notice, and the output stays where it
 * was, whether that is the first or another.
 * @needs: bpf
 * @engines: kernel process
 * @run: -wqs %f
 * @stderr
 */
BEGIN
{
	printf("one\n");
	freopen("..");
	printf("two\n");
	freopen("/nowhere/%d", 1);
	freopen("/dev/null");
	freopen("/");
	printf("not seen\n");
	freopen("");
	printf("three\n");
	exit(0);
}
