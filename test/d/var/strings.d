/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	s = "first";
	t = s;
	s = "second";
	printf("%s %s\n", s, t);
	self->s = strjoin(s, t);
	this->s = substr(self->s, 0, 6);
	printf("%s %s\n", self->s, this->s);
	exit(0);
}
