/*
 * What lies beyond printsize is neither recorded nor shown; less may be shown
 * than was recorded.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -x printsize=24 -s %f
 */
typedef struct { int a; struct { long b, c; } in; int d; } rec_t;
rec_t r;
int v[8];
struct { char s[12]; long l; } t;

BEGIN
{
	r.a = 1; r.in.b = 2; r.in.c = 3; r.d = 4;
	v[0] = 1; v[7] = 8;
	t.s[0] = 'x';
	print(r);
	print(v);
	print("a string that is longer than that");
	setopt("printsize", "8");
	print(r);
	print(v);
	print(t);
	exit(0);
}
