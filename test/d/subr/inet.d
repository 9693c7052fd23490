/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	this->a = (uint32_t *)alloca(16);
	this->a[0] = htonl(0xc0a80001);
	printf("%s %s\n", inet_ntoa(this->a), inet_ntop(2, this->a));
	this->a[0] = htonl(0x20010db8);
	this->a[3] = htonl(1);
	printf("%s %s\n", inet_ntoa6(this->a), inet_ntop(10, this->a));
	this->a[0] = 0;
	this->a[2] = htonl(0xffff);
	this->a[3] = htonl(0x7f000001);
	printf("%s\n", inet_ntoa6(this->a));
	exit(0);
}
