/*
 * print(): each kind of value by its type.
 * @needs: bpf
 * @engines: kernel process
 */
enum color { RED, GREEN = 5 };
typedef struct { int a; char b; } in_t;
typedef struct rec {
	char name[8];
	int n;
	unsigned int f1:3, f2:5;
	int :2;
	struct { short x; union { int u; long w; }; } an;
	in_t arr[2];
	int nums[3], grid[2][2];
	enum color c;
	char *p;
	in_t *next;
	void *(*fn)(int);
	char raw[2];
	double d;
	_Bool ok;
	struct { int z; } none[0];
} rec_t;
rec_t r;

BEGIN
{
	r.name[0] = 'h'; r.name[1] = '"';
	r.n = -5;
	r.f1 = 5; r.f2 = 17;
	r.an.x = 3; r.an.u = 77;
	r.arr[0].a = 1; r.arr[0].b = 'q'; r.arr[1].b = '\n';
	r.nums[1] = 7; r.grid[1][0] = 10;
	r.c = GREEN;
	r.p = (char *)0x1234;
	r.raw[0] = 1; r.raw[1] = 200;
	print(r);
	print(r.an);
	print(r.arr);
	print(r.name);
}

BEGIN
{
	print(1); print(-1); print((short)-1); print((long)0);
	print((unsigned char)7); print('a'); print((char)0);
	print((enum color)5); print((enum color)4);
	print("a\tb\\"); print("");
	print((void *)0x10); print((rec_t *)0);
	print(r.f1); print(probename); print(r.n > 0);
	exit(0);
}
