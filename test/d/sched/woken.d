/*
 * The stack of a thread that comes back to its CPU, where the predicate was
 * false when it left, by what is no variable of the thread's.
 * @needs: bpf
 * @target: waits
 * @run: -qs %f -c %t
 */
int woken[int];

syscall::nanosleep:entry
/pid == $target/
{
	self->in = 1;
	woken[1] = 0;
}

syscall::nanosleep:return
/self->in/
{
	self->in = 0;
}

sched:::wakeup
/args[1]->pr_pid == $target/
{
	woken[1] = 1;
}

sched:::on-cpu
/woken[1] && self->in/
{
	@[ustack(4)] = count();
}

END
{
	printa("%k", @);
}
