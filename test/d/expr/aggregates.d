/*
 * Structs, unions, bit-fields, enums and nested arrays in D variables.
 * @needs: bpf
 * @engines: kernel process
 */
typedef struct pt { int x; short y; char name[8]; uint64_t z; } pt_t;
struct bits { unsigned a:3; int b:5; unsigned c:10; uint64_t d:40; };
union u { int i; char c[4]; uint16_t s[2]; };
struct nest { pt_t in[3]; union u un; struct { int q; } an; int m[2][3]; };
enum color { RED, GREEN = 5, BLUE };
typedef int myint;
pt_t p, p2;
struct bits bf;
union u uu;
struct nest nn;
enum color col;
int arr[10];
this pt_t tp;
pt_t assoc[int];
self pt_t sp;
BEGIN {
	p.x = -5; p.y = 0x12345; p.z = 1 << 20;
	p2 = p;
	p.x = 7;
	printf("%d %d %d | %d\n", p2.x, p2.y, p2.z, p.x);
	bf.a = 9; bf.b = -3; bf.c = 1023; bf.d = 0xfffffffffff;
	printf("%d %d %d %x\n", bf.a, bf.b, bf.c, bf.d);
	bf.b = 15; bf.b++; printf("%d %d %d\n", bf.a, bf.b, bf.c);
	uu.i = 0x41424344;
	printf("%c%c %x\n", uu.c[0], uu.c[3], uu.s[1]);
	nn.in[2].x = 44; nn.in[1].name[2] = 'q'; nn.an.q = 3; nn.m[1][2] = 77; nn.m[0][2] = 5;
	printf("%d %c %d %d %d %d\n", nn.in[2].x, nn.in[1].name[2], nn.an.q, nn.m[1][2], nn.m[0][2], nn.m[1][0]);
	nn.in[0] = p; printf("%d %d\n", nn.in[0].x, nn.in[0].z);
	col = BLUE; printf("%d %d %d\n", col, col == BLUE, GREEN);
	printf("%d %d %d %d\n", sizeof (pt_t), sizeof (struct bits), sizeof (union u), sizeof (struct nest));
	printf("%d %d %d\n", offsetof(pt_t, z), offsetof(struct nest, un), sizeof (nn.in));
	arr[3] = 9; arr[3]++; arr[3] += 2; printf("%d %d\n", arr[3], arr[4]);
	this->tp = p2; this->tp.x++; printf("%d %d\n", this->tp.x, p2.x);
	assoc[1] = p; assoc[2] = p2; assoc[1].x = 100; printf("%d %d %d\n", assoc[1].x, assoc[2].x, 0);
	self->sp = p; self->sp.z = 9; printf("%d %d\n", self->sp.z, self->sp.x);
	p.name[0] = 'h'; p.name[1] = 'i'; printf("[%s] %d\n", p.name, strlen(p.name));
	printf("%s\n", stringof(p.name));
}
BEGIN{exit(0);}
