/*
 * User memory: structs through copyin(), strings, system calls that fail.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -c 'sleep 0.001234567'
 * @timeout: 60
 */
syscall::clock_nanosleep:entry, syscall::nanosleep:entry
/pid == $target/
{
	this->a = probefunc == "nanosleep" ? arg0 : arg2;
	this->t = (struct timespec64 *)copyin(this->a,
	    sizeof (struct timespec64));
	printf("%d %d\n", this->t->tv_sec, this->t->tv_nsec);
	x = *this->t;
	this->t->tv_nsec++;
	printf("%d %d\n", x.tv_nsec, this->t->tv_nsec);
}
