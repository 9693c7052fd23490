/*
 * Members of every kind: bit-fields, enums, anonymous structs and unions,
 * arrays of arrays, strings.
 *
 * @needs: bpf
 * @engines: kernel process
 */
struct bits {
	int a:3;
	unsigned b:5;
	int :0;
	uint64_t c:40;
	_Bool d:1;
	enum { E0, E1, E2 } e:2;
	enum { N = -1, Z } n:2;
};
struct bits v;
struct anon {
	int x;
	union {
		int y;
		struct { short lo; short hi; };
	};
	struct { int q; } n;
};
struct anon w;
int grid[3][4];
struct cube { int x[2][3]; };
struct cube cube;
struct text { int a; string n; string m; };
struct text t;
struct text texts[int];

BEGIN
{
	v.a = 5;
	v.b = 33;
	v.c = -1;
	v.d = 1;
	v.e = E2;
	v.n = N;
	printf("%d %d %x %d %d %d %d\n", v.a, v.b, v.c, v.d, v.e, v.n,
	    sizeof(struct bits));
	v.a++;
	v.b--;
	v.c += 2;
	printf("%d %d %x %d\n", v.a, v.b, v.c, v.b += 32);
}

BEGIN
{
	w.y = 0x20001;
	w.n.q = 4;
	printf("%d %d %d %d %d\n", w.lo, w.hi, w.n.q, sizeof(w),
	    offsetof(struct anon, hi));
}

BEGIN
{
	grid[1][2] = 7;
	grid[2][0] = 9;
	cube.x[1][2] = 5;
	printf("%d %d %d %d %d %d\n", grid[1][2], grid[2][0], grid[0][0],
	    sizeof(grid), sizeof(grid[0]), cube.x[1][2]);
}

BEGIN
{
	t.n = "hello";
	t.m = "world";
	t.n = "yo";
	texts[1].m = strjoin(t.m, "!");
	printf("%s %s %s [%s]\n", t.n, t.m, texts[1].m, texts[1].n);
	self->t = texts[1];
	printf("%s %s\n", self->t.m, texts[2].m == NULL ? "none" : "some");
	t.n = 0;
	printf("[%s]\n", t.n);
	print(texts[1]);
	exit(0);
}
