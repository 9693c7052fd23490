/*
 * Clauses of some hundred statements, which are more instructions than a jump
 * can cross: what they record, what they leave, and where a fault ends them.
 * @needs: bpf
 * @engines: kernel process
 * @run: -C -qs %f
 * @stderr
 */
#pragma D option dynvarsize=4m
#pragma D option bufsize=1m

#define TEN(f, n)	f(n##0) f(n##1) f(n##2) f(n##3) f(n##4) \
			f(n##5) f(n##6) f(n##7) f(n##8) f(n##9)
#define HUNDRED(f, n)	TEN(f, n##0) TEN(f, n##1) TEN(f, n##2) TEN(f, n##3) \
			TEN(f, n##4) TEN(f, n##5) TEN(f, n##6) TEN(f, n##7) \
			TEN(f, n##8) TEN(f, n##9)
#define PUT(n)		seen["put", n - 1000] = n - 1000; total += n - 1000;
#define COUNT(n)	@count[(n) % 7] = count(); \
			self->last = strjoin("at ", lltostr(n - 1000));

#define NAME(n)		names[n] = lltostr(n);

int64_t seen[string, int], total, zero;
string names[int];
self string last;

BEGIN
{
	printf("first %s, ", probename);
	HUNDRED(PUT, 10) HUNDRED(PUT, 11) HUNDRED(PUT, 12)
	HUNDRED(PUT, 13) HUNDRED(PUT, 14)
	printf("%d and %d, last of %s, %d\n", total, seen["put", 499],
	    probename, stackdepth < 100);
}

/* It ends in the middle: nothing of it is recorded, what it did has been. */
BEGIN
{
	printf("never seen\n");
	HUNDRED(PUT, 15) HUNDRED(PUT, 16) HUNDRED(PUT, 17)
	seen["put", 1000] = 1 / zero;
	HUNDRED(PUT, 18)
}

BEGIN
{
	HUNDRED(COUNT, 10) HUNDRED(COUNT, 11)
	HUNDRED(COUNT, 12)
	printf("%s\n", self->last);
}

/* speculate() with no speculation ends a clause in silence. */
BEGIN
{
	HUNDRED(PUT, 20) HUNDRED(PUT, 21)
	speculate(0);
	HUNDRED(PUT, 22)
	printf("nor this\n");
}

BEGIN
{
	HUNDRED(NAME, 10)
	names[1000] = stringof((char *)16);
	printf("nor that\n");
}

BEGIN
{
	printf("%s %s %d\n", names[1000], names[1099], names[1100] == NULL);
	printf("%d %d %d, %d %d\n", seen["put", 500], seen["put", 799],
	    seen["put", 800], seen["put", 1199], seen["put", 1200]);
	exit(0);
}
