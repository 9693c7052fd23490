/*
 * The stack of a thread that comes back to its CPU, whose memory is not mapped
 * yet: where it waited.  Predicates about the thread, about other things, and
 * none; a shorter stack beside a longer one.  How many there are is not
 * printed: some virtual machines have switches that no tracepoint shows.
 * @needs: bpf
 * @target: waits
 * @run: -qs %f -c %t
 */
int on;

syscall::nanosleep:entry
/pid == $target/
{
	self->in = 1;
}

syscall::nanosleep:return
/self->in/
{
	self->in = 0;
}

sched:::sleep
/self->in/
{
	self->t = timestamp;
	on = 1;
}

sched:::on-cpu
/self->t/
{
	@slept[ustack(4)] = count();
	@short[ustack(1)] = count();
}

sched:::on-cpu
/on && self->t && pid == $target/
{
	@caller[usym(ucaller)] = count();
	@deep[ustackdepth > 4] = count();
	self->t = 0;
}

sched:::on-cpu
/pid == $target && execname == "nobody"/
{
	@none[ustack()] = count();
}

END
{
	printa("%k", @slept);
	printa("%k", @short);
	printa("%A\n", @caller);
	printa("%d\n", @deep);
}
