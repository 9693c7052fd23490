/*
 * A compound assignment loads its target before its right side is evaluated;
 * what the place depends on is evaluated once, and before.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 */
struct s { int m[4]; };
this struct s v;
self int t[int];
int a[int];
_Bool b;
BEGIN
{
	i = 1;
	i += i++;
	j = 10;
	j -= j++ * 3;
	printf("%d %d\n", i, j);
	k = 1;
	a[1] = 5;
	a[2] = 100;
	a[k] += k++;
	printf("%d %d %d\n", a[1], a[2], k);
	self->t[k] = 7;
	self->t[k++] += k++;
	printf("%d %d\n", self->t[2], k);
	this->v.m[1] = 3;
	k = 1;
	this->v.m[k] *= ++k + k;
	printf("%d %d\n", this->v.m[1], this->v.m[2]);
	p = (int *)alloca(8);
	q = p;
	p[0] = 4;
	p[1] = 50;
	*p += (p = p + 1, *p);
	printf("%d %d\n", q[0], q[1]);
	b = 0;
	b |= (k = 4);
	printf("%d %d\n", b, k);
	exit(0);
}
