/*
 * userland: the pointers of a declaration are to user memory, and loads by
 * them read it.
 *
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -c "echo hello"
 */
userland short *two;
typedef struct { char c[2]; } pair_t;

syscall::write:entry
/pid == $target/
{
	this->p = (userland char *)arg1;
	printf("%c%c %s", this->p[0], *(this->p + 1), stringof(this->p));
	two = (userland short *)arg1;
	printf("%x %x\n", *two, two[1]);
	printf("%c\n", ((userland pair_t *)arg1)->c[1]);
	exit(0);
}
