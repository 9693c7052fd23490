/*
 * print(): negative numbers of each width, and flags; what is no set of flags is
 * a number.
 * @needs: bpf
 * @engines: kernel process
 */
enum flags { NOTHING, READ = 1, WRITE = 2, EXEC = 4 };
enum state { FIRST = 1, SECOND, THIRD, FOURTH };
struct rec {
	short s;
	signed char c;
	int a:4;
	unsigned int b:5;
	int x:1;
	long long big:40;
	enum flags f;
	enum flags g:3;
	enum state st;
	long l;
} r;

BEGIN
{
	r.s = -5; r.c = -7; r.a = -3; r.b = 21; r.x = -1; r.big = -308641972530;
	r.f = READ | EXEC; r.g = READ | WRITE | EXEC; r.st = FOURTH | FIRST;
	r.l = -9;
	print(r); print(r.s); print(r.a); print(r.g);
	print((enum flags)0); print((enum flags)8); print((enum flags)9);
	print((enum flags)2); print((short)-32768); print((unsigned short)-1);
	exit(0);
}
