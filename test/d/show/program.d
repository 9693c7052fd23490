/*
 * A program written back: every kind of item, every level of expression.
 *
 * @run: -e -d -s %f
 */
#pragma D option quiet
typedef struct { int a; string s; } foo_t;
struct bar {
	struct bar *next;
	struct { int x : 3; int : 2; int y : 5; } q;
	enum { AA, BB = 7 } e, *pe;
	int (*f[3])(int, char *);
	union { uint64_t u64; uint8_t u8[8]; };
};
enum { ONE = 1, TWO };
struct nope;
self int table[string, int];
int *ptrs[uint64_t], plain;
inline int two[int a, int b] = a + b * 2;
userland char *text;
translator foo_t < struct bar *B > { a = B->q.x; s = "bar"; };
provider myp {
	probe query__start(int x, struct nope *n) : (int x);
	probe none();
};
#pragma D attributes Stable/Stable/Common provider myp args
extern int zork;
this string st;

int64_t x, b, c, d, e, f, g, h, i, a;

BEGIN
{
}

BEGIN, tick-1s
/ *ptrs[1] != 0 /
{
	x = -(-1) - -x + 'a' + '\377' + 0xffffffffff + (uint64_t)3ull;
	@a["x\n\"y\\z\001\x7f", pid] = count();
	@ = quantize(two[1, 2]);
	@bare["key"] = sum(two(x++, --x));
	self->table["a", 1] = sizeof (struct bar) + sizeof x +
		offsetof(struct bar, q);
	a = (b = 3, b ? c = 1 : 2);
	d = (b ? 1 : 2) ? 3 : b ? 4 : 5;
	e = (1 + 2) * 3 / 4 % 5 << 2 >> (1 & 3) | 8 ^ 2;
	f = !(a && b || c ^^ d) == ~e < 4;
	g = a - (b - c) - d;
	h += i *= 2;
	this->st = stringof(((struct bar *)0)->next->f[1]);
	trace((xlate <foo_t> ((struct bar *)0)).s);
	trace(*(char *)ptrs[0] + (&ptrs[2][1])[0]);
	printf("%d\n", ((struct bar *)alloca(100))->q.y + (AA ? ONE : TWO));
	exit(0);
}
