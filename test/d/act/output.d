/*
 * freopen() redirects what is printed, ftruncate() empties it, "" goes back;
 * system() prints in turn.
 * @needs: bpf
 * @engines: kernel process
 * @run: -wqs %f
 */
BEGIN
{
	printf("first\n");
	system("echo second %d; rm -f /tmp/dtrace-act-%d", 2, $pid);
	freopen("/tmp/dtrace-act-%d", $pid);
	printf("lost\n");
	ftruncate();
	printf("kept\n");
	freopen("");
	printf("third\n");
	freopen("/tmp/dtrace-act-%d", $pid);
	printf("appended\n");
	freopen("");
	ftruncate();
	system("cat /tmp/dtrace-act-%d; rm /tmp/dtrace-act-%d", $pid, $pid);
	printf("last\n");
	exit(0);
}
