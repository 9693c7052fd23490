/*
 * Names: _ is one; those of D's own words may be members; a declared type may
 * follow a variable.
 *
 * @needs: bpf
 * @engines: kernel process
 */
int _;
int __x1_, *__p, __a[2], __d[int, string];
self string probe_;
this int _0;
typedef unsigned long long word_t;
struct odd {
	int self;
	int this;
	int string;
	int probe, provider, translator, xlate, stringof, userland;
};
struct odd odd;

BEGIN
{
	_ = 3;
	__x1_ = _ + 1;
	__a[1] = 5;
	__d[1, "x"] = 6;
	self->probe_ = "p";
	this->_0 = 7;
	@_ = sum(_);
	odd.self = 1;
	odd.this = odd.self + 1;
	odd.string = odd.this + 1;
	odd.userland = odd.string + 1;
	printf("%d %d %d %d %s %d\n", _, __x1_, __a[1], __d[1, "x"],
	    self->probe_, this->_0);
	printf("%d %d %d %d %d\n", odd.self, odd.this, odd.string,
	    odd.userland, sizeof(word_t));
	printa("%@d\n", @);
	exit(0);
}
