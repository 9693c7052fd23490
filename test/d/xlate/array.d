/*
 * An array member made of an array, of a pointer to the first of enough
 * elements, and of an array that is shorter; and characters made of a string.
 * @needs: bpf
 * @engines: kernel process
 */
struct in { short s[2]; };
struct out { int p[3]; short s[2], t[4]; char c[6]; };
translator struct out < int *I > {
	p = I;
	s = ((struct in *)I)->s;
	t = ((struct in *)I)->s;
	c = "abc";
};

BEGIN
{
	this->v = (int *)alloca(12);
	this->v[0] = 0x20001;
	this->v[1] = 8;
	this->v[2] = 9;
	printf("%d\n", xlate <struct out *> (this->v)->p[2]);
	print(*xlate <struct out *> (this->v));
	exit(0);
}
