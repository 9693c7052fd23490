/*
 * Structures and arrays as keys, alone and among others.
 * @needs: bpf
 * @engines: kernel process
 */
typedef struct { int a; char b; } k_t;
typedef struct { char n[3]; } s_t;
k_t k;
s_t s;
int arr[2];

BEGIN
{
	k.a = 1; k.b = 'x'; @a[k] = count();
	k.a = 2; @a[k] = count();
	k.a = 1; @a[k] = count();
	s.n[0] = 'h'; s.n[1] = 'i';
	@b[s, 1] = sum(3); @b[s, 2] = sum(4);
	@c[arr] = count(); arr[1] = 5; @c[arr] = count(); @c[arr] = count();
	@d[s.n] = count();
	@e["x", s, "y"] = count();
	printa("%@d\n", @a);
	printa("%s %@d\n", @d);
	exit(0);
}
