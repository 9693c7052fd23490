/*
 * The reason of a process's end, in its own context.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f false -c '/bin/sh -c "/bin/true; /bin/false; exit 3"'
 */
proc:::exit
/execname == $$1 && progenyof($target)/
{
	printf("%d %d %d\n", arg0, args[0] == CLD_EXITED, pid == tid);
}
