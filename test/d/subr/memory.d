/*
 * Scratch, and what does not fit or is not there.
 *
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	zero = 0;
	minus = -1;
	this->p = (char *)alloca(8);
	this->p[0] = 'a';
	this->p[2] = 'b';
	printf("%s|%s|%s|%s\n", memstr(this->p, '.', 4), memstr(this->p, 0, 8),
	    memstr(this->p, ' ', 1), memstr(this->p, ' ', 0));
	/* nothing of anything is no fault */
	bcopy((void *)16, this->p, zero);
	bcopy(this->p, this->p + 4, 3);
	this->q = copyin(16, zero);
	copyinto(16, zero, this->p);
	printf("%s %d\n", stringof(this->p + 4), alloca(zero) != NULL);
}

BEGIN
{
	/* it has no byte */
	this->z = (char *)alloca(zero);
	this->z[0] = 1;
}

BEGIN
{
	trace(alloca(minus));
}

BEGIN
{
	/* each would fit */
	this->p = (char *)alloca(10000);
	this->p = (char *)alloca(10000);
}

BEGIN
{
	trace(copyin(16, minus));
}

BEGIN
{
	trace(copyin(16, 1));
}

BEGIN
{
	trace(copyinstr(24));
}

BEGIN
{
	trace(copyinstr(24, 4));
}

BEGIN
{
	this->p = alloca(8);
	copyinto(32, 8, this->p);
}

BEGIN
{
	copyinto(32, 8, (void *)40);
}

BEGIN
{
	bcopy((void *)16, (void *)48, minus);
}

BEGIN
{
	trace(memstr((void *)56, '.', 4));
}

ERROR
{
	/* addresses of scratch are not the same twice */
	printf("fault %d %x\n", arg4, (uint64_t)arg5 < 4096 ? arg5 : -1);
}

BEGIN
{
	exit(0);
}
