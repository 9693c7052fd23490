/*
 * How long a process was off its CPUs: the variable is set in the thread that
 * leaves and found in the one that comes.  Kernels have been seen to show a switch
 * to nobody: two of three are enough.
 * @needs: bpf
 * @run: -qs %f -c '/bin/sh -c "sleep 0.05; sleep 0.05; sleep 0.05"'
 */
syscall::clock_nanosleep:entry
/progenyof($target)/
{
	self->in = 1;
}

syscall::clock_nanosleep:return
{
	self->in = 0;
}

sched:::sleep
/self->in/
{
	self->t = timestamp;
}

sched:::on-cpu
/self->t/
{
	slept[execname] += timestamp - self->t >= 40000000;
	self->t = 0;
}

sched:::surrender
/pid == $target/
{
	printf("never\n");
}

END
{
	printf("%s\n", slept["sleep"] == 2 || slept["sleep"] == 3 ? "slept" :
	    lltostr(slept["sleep"]));
}
