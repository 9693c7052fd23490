/*
 * What is translated is evaluated once, however many members are made of it.
 * @needs: bpf
 * @engines: kernel process
 */
struct pair { int a; int b; };
translator struct pair < int I > { a = I; b = I * 10; };
inline int both[struct pair *P, int N] = P->a + P->b + N;

BEGIN
{
	x = 1;
	this->s = xlate <struct pair> (x++);
	printf("%d %d %d\n", x, this->s.a, this->s.b);
	this->s = *xlate <struct pair *> (x++);
	printf("%d %d %d\n", x, this->s.a, this->s.b);
	printf("%d\n", both[xlate <struct pair *> (x++), 100]);
	printf("%d\n", x);
	this->s = xlate <struct pair> (rand() & 0xffff);
	printf("%d\n", this->s.a * 10 == this->s.b);
	exit(0);
}
