/*
 * Commands as they begin and end; a depth kept per process in an associative
 * array, which its end frees.
 * @needs: bpf
 * @run: -qs %f -c "sh -c '/bin/echo one two > /dev/null; /bin/false; exit 3'"
 */
proc:::exec-success
/progenyof($target)/
{
	known[pid] = 1;
	printf("> %s [%s]\n", execname, curpsinfo->pr_psargs);
}

syscall::exit_group:entry
/known[pid]/
{
	printf("< %s status %d\n", execname, arg0);
	known[pid] = 0;
}
