/*
 * A script's own translator over what a function is given, and an inline with
 * arguments that uses it.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f
 * @status: 3
 */
typedef struct point { int x, y; } point_t;
typedef struct where { long w_far; string w_side; int w_x; } where_t;

translator where_t < point_t *P > {
	w_far = P->x * P->x + P->y * P->y;
	w_side = P->x < 0 ? "left" : P->x > 0 ? "right" : "middle";
	w_x = P->x;
};
inline where_t *at[point_t *p] = xlate <where_t *> (p);

point_t *p;

BEGIN
{
	p = alloca(2 * sizeof(point_t));
	p[0].x = 3; p[0].y = 4;
	p[1].x = -5; p[1].y = 12;
	printf("%s %d; %s %d\n", at[p]->w_side, at[p]->w_far,
	       at[p + 1]->w_side, at[p + 1]->w_far);
	@side[at[p]->w_side] = sum(at[p]->w_far);
	@side[at[p + 1]->w_side] = sum(at[p + 1]->w_far);
	exit(at[p]->w_x);
}
