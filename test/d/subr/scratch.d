/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	this->p = (char *)alloca(8);
	printf("%d\n", this->p[7]);
	this->p[0] = 'a';
	this->p[1] = 'b';
	this->r = (char *)alloca(8);
	bcopy(this->p, this->r + 1, 3);
	this->r[0] = 'X';
	printf("%s\n", stringof(this->r));
}

BEGIN
{
	/* more than there is */
	this->q = alloca(1 << 20);
	printf("not reached\n");
}

BEGIN
{
	/* not memory of ours */
	this->p = (char *)alloca(8);
	bcopy(this->p, (void *)16, 4);
	printf("not reached\n");
}

ERROR
{
	printf("fault %d %x\n", arg4, arg5);
}

END
{
	printf("end\n");
}

tick-100ms
{
	exit(0);
}
