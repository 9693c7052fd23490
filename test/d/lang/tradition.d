/*
 * Declarations as other systems allow them.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 */
#!this line is a comment
self x;
self a, b, *c;
this y;
struct t { int a; };
union t { char c; };
enum t { ONE = 1 };
extern int f(...);
int g(char *restrict p, const char *const restrict q);
BEGIN
{
	self->x = 1 << 40;
	self->b = 7;
	this->y = 5;
#!so is this
	printf("%d %d %d %d\n", self->x, self->b, this->y, sizeof(self->x));
	printf("%d %d %d\n", sizeof(struct t), sizeof(union t), sizeof(enum t));
	printf("%d %d %d\n", sizeof(NULL), sizeof("abc"), sizeof(""));
	x = NULL;
	x = 5;
	printf("%u %d\n", NULL, x);
	printf("%d\n", self->c == NULL);
	exit(0);
}
