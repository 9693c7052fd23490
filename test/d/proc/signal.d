/*
 * A signal, from who sends it to who gets it.
 * @needs: bpf
 * @run: -qs %f -c '/bin/sh -c "trap : USR1; kill -USR1 $$; kill -URG $$"'
 */
proc:::signal-send, proc:::signal-discard
/pid == $target && args[2] != SIGCHLD/
{
	printf("%s %d %d %d\n", probename, args[2],
	    args[1]->pr_pid == $target, args[0]->pr_lwpid == $target);
}

proc:::signal-handle
/pid == $target/
{
	printf("%s %d %d %d %d %d\n", probename, args[0], args[1]->si_signo,
	    args[1]->si_code == SI_USER, args[1]->si_pid == $target,
	    args[2] != NULL && (uintptr_t)args[2] == arg2);
}
