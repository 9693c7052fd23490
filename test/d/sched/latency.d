/*
 * How long a process was off its CPUs: the variable is set in the thread that
 * leaves and found in the one that comes.
 * @needs: bpf
 * @run: -qs %f -c '/bin/sh -c "sleep 0.05; sleep 0.05"'
 */
sched:::off-cpu
/progenyof($target) && execname == "sleep"/
{
	self->t = timestamp;
}

sched:::on-cpu
/self->t/
{
	@slept[execname] = sum(timestamp - self->t >= 40000000);
	self->t = 0;
}

sched:::surrender
/pid == $target/
{
	printf("never\n");
}
