/*
 * Structs and unions are keys, by all their bytes.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 */
struct k { int a; int b; };
union u { char c[3]; };
struct k v;
struct k w;
this struct k w;
union u x;
string q[struct k, int];
BEGIN
{
	v.a = 1;
	n[v] = 3;
	n[w] = 4;
	v.b = 2;
	n[v] = 5;
	printf("%d %d ", n[v], n[w]);
	v.b = 0;
	printf("%d\n", n[v]);
	this->w.a = 1;
	printf("%d\n", n[this->w]);
	q[v, strlen("ab")] = "text";
	q[v, 3] = "other";
	printf("%s %s\n", q[this->w, 2], q[this->w, n[v]]);
	x.c[2] = 9;
	self->m[x, v] = 7;
	x.c[1] = 9;
	self->m[x, v]++;
	printf("%d ", self->m[x, v]);
	x.c[1] = 0;
	printf("%d\n", self->m[x, v]);
	p = (struct k *)alloca(sizeof(struct k));
	p->a = 1;
	printf("%d\n", n[*p]++);
	printf("%d\n", n[v]);
	n[v] = 0;
	printf("%d\n", n[*p]);
	exit(0);
}
