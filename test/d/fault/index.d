/*
 * An index that is not below the bound its array was declared with is a fault,
 * for loads and stores alike, in variables of all kinds.
 *
 * @needs: bpf
 * @engines: kernel process
 */
struct s { int before; int v[3]; int after; };
int a[5];
int m[2][3];
self struct s t;
this short h[4];
int i, n;

BEGIN
{
	i = 2; /* the last of some */
	a[i * 2] = 17;
	self->t.v[i] = 8;
	this->h[i + 1] = 6;
	m[1][i] = 9;
	printf("%d %d %d %d %d\n", a[i + i], self->t.v[i], self->t.after,
	    this->h[i + 1], m[i - 1][i]);
}
BEGIN { i = 4; a[i] = 17; printf("%d\n", a[i]); i = 5; a[i] = 1; printf("never\n"); }
BEGIN { i = 7; printf("never %d\n", a[i]); }
BEGIN { i = -1; printf("never %d\n", a[i]); }
BEGIN { i = 3; self->t.v[i - 1] = 8; printf("%d\n", self->t.v[2]); self->t.v[i] = 1; printf("never\n"); }
BEGIN { printf("%d\n", self->t.after); i = 4; this->h[i - 1] = 6; printf("%d\n", this->h[3]); this->h[i] = 1; printf("never\n"); }
BEGIN { i = 2; m[1][i] = 9; printf("%d\n", m[i - 1][2]); m[0][i + 1] = 1; printf("never\n"); }
BEGIN { m[i][0]++; printf("never\n"); }
BEGIN { n = 1; a[n] = 3; a[n++] += 2; printf("%d %d\n", a[1], n); a[n + 3] += 1; printf("never\n"); }
BEGIN { a[n++] += 40; printf("%d %d\n", a[2], n); exit(0); }

ERROR { printf("fault %d %d\n", arg4 == DTRACEFLT_BADINDEX, arg5); }
