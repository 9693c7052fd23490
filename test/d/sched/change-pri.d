/*
 * Priorities as the kernel counts them: those of time sharing from 100, those of
 * real time below.  The second and the fourth change lead into another class.
 * @needs: bpf kprobe
 * @run: -qs %f -c '/bin/sh -c "renice -n 5 -p $$ >/dev/null; chrt -f -p 10 $$; chrt -f -p 20 $$; chrt -o -p 0 $$"'
 */
sched:::change-pri
/args[1]->pr_pid == $target/
{
	printf("%s %d\n", args[0]->pr_lwpid == $target ? "target" : "another", args[2]);
}
