/*
 * Bytes as text: of devices, hosts, and UUIDs.
 *
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	this->a = (uint32_t *)alloca(20);
	this->a[0] = htonl(0x001bff0a);
	this->a[1] = htonl(0x7f800000);
	this->a[4] = htonl(0xdeadbeef);
	printf("%s\n%s\n%s\n", link_ntop(1, this->a), link_ntop(32, this->a),
	    uuidtostr(this->a));
	printf("%s %s\n", inet_ntoa6(this->a), inet_ntoa6(this->a, 0));
	this->a[0] = 0;
	this->a[1] = 0;
	printf("%s %s %s\n", inet_ntoa6(this->a), inet_ntoa6(this->a, 0),
	    inet_ntop(10, this->a));
	this->a[3] = htonl(0x0a000001);
	printf("%s %s %s %s\n", inet_ntoa6(this->a), inet_ntoa6(this->a, 0),
	    inet_ntoa6(this->a, 1), inet_ntop(10, this->a));
	this->a[2] = htonl(0xffff);
	printf("%s %s %s\n", inet_ntoa6(this->a), inet_ntoa6(this->a, 0),
	    inet_ntop(10, this->a));
	/* one group of zeroes stays; of two runs the first */
	this->a[0] = htonl(0x20010000);
	this->a[1] = htonl(0x00010002);
	this->a[2] = htonl(0x00030004);
	this->a[3] = htonl(0x00050006);
	printf("%s\n", inet_ntop(10, this->a));
	this->a[0] = htonl(0x20010000);
	this->a[1] = htonl(0x00000001);
	this->a[2] = 0;
	this->a[3] = htonl(0x00010001);
	printf("%s\n", inet_ntop(10, this->a));
}

BEGIN
{
	/* no family that has addresses like that */
	trace(inet_ntop(1, (void *)16));
}

BEGIN
{
	trace(link_ntop(2, (void *)16));
}

BEGIN
{
	trace(link_ntop(1, (void *)16));
}

BEGIN
{
	trace(uuidtostr((void *)24));
}

BEGIN
{
	trace(inet_ntoa6((void *)32, 0));
}

ERROR
{
	printf("fault %d %x\n", arg4, arg5);
}

BEGIN
{
	exit(0);
}
