/*
 * Members of translated structs: scalars, arrays, strings, structs in structs,
 * and a whole struct made from all of them.
 *
 * @needs: bpf
 * @engines: kernel process
 */
struct in {
	int a;
	char name[8];
	int bits:3;
};
typedef struct inner {
	int i;
	string s;
} inner_t;
typedef struct out {
	int o_a;
	char o_name[16];
	string o_str;
	inner_t o_in;
	inner_t *o_inp;
	int o_none;
	struct { short o_anon; };
	unsigned o_b:4;
	int64_t o_wide;
} out_t;

translator inner_t < int I > {
	i = I * 2;
	s = "inner";
};
translator out_t < struct in *P > {
	o_a = P->a;
	o_name = P->name;
	o_str = stringof(P->name);
	o_in = xlate <inner_t>(P->a);
	o_inp = xlate <inner_t *>(P->a + 1);
	o_anon = P->a + 100;
	o_b = P->a;
	o_wide = -1;
};
inline out_t *made[struct in *p] = xlate <out_t *>(p);
struct in *p;
out_t res;
out_t many[int];

BEGIN
{
	p = alloca(sizeof(struct in));
	p->a = 7;
	p->name[0] = 'h';
	p->name[1] = 'i';
	printf("%d %s %s\n", xlate <out_t *>(p)->o_a, made[p]->o_name,
	    xlate <out_t>(p).o_str);
	printf("%d %s\n", made(p)->o_in.i, made(p)->o_in.s);
	printf("%d %s\n", made(p)->o_inp->i, (*made(p)).o_inp->s);
	printf("%d %d %d\n", sizeof(made(p)->o_name), sizeof(made(p)->o_str),
	    sizeof(made(p)->o_in));
	printf("%d %d %d\n", made(p)->o_anon, made(p)->o_b, made(p)->o_wide);
}

BEGIN
{
	p = alloca(sizeof(struct in));
	p->a = 7;
	p->name[0] = 'h';
	p->name[1] = 'i';
	res = *made(p);
	printf("%d '%s' '%s' %d %s %d %d %d %d\n", res.o_a, res.o_name,
	    res.o_str, res.o_in.i, res.o_in.s, res.o_none, res.o_anon, res.o_b,
	    res.o_wide);
	this->r = xlate <out_t>(p);
	self->r = this->r;
	many[3] = xlate <out_t>(p);
	printf("%d %s\n", this->r.o_anon, self->r.o_str);
	printf("%d %s %d\n", many[3].o_a, many[3].o_name, many[4].o_a);
	exit(0);
}
