/*
 * What is executed, and with what arguments.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -c '/bin/sh -c "/bin/echo a b c; /bin/true one two; /no/such"'
 * @sort
 */
proc:::exec-success
/progenyof($target)/
{
	printf("%s|%s|%s\n", execname, curpsinfo->pr_fname,
	    curpsinfo->pr_psargs);
}

proc:::exec-failure
/progenyof($target)/
{
	@[args[0] == ENOENT ? "ENOENT" : "other"] = count();
}
