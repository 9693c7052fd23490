/*
 * @needs: bpf
 * @engines: kernel process
 */

int declared;
self int tls;
this int64_t loc;
BEGIN
{
	declared = 3000000000;
	self->tls = 7;
	this->loc = 9;
	g++;
}
BEGIN
{
	printf("%d %d %d %d\n", declared, self->tls, this->loc, g);
	self->tls = 0;
	printf("%d\n", self->tls);
	exit(0);
}
