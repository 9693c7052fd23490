/*
 * -v: where an expression has another value or meaning than in C, each place
 * once.  What is not noted has C's value, or C does not define it.
 * @noroundtrip: -v writes among the text
 * @run: -ve -s %f
 * @stderr
 */
int i, j; unsigned u; char c; unsigned char C; long l; short h; char *p; unsigned short S;
BEGIN
{
	@a = sum(i * j);
	@b = sum(i + 1);
	@c = sum(1 << 40);
	printf("%d", (i + j) / 2);
	printf("%d", C + c);
	trace(i * j);
	l = i * j;
	l = (long)i * j;
	i = i * j;
	trace(u == -1);
	trace((int)u == -1);
	trace(u / i);
	trace(~u == 0);
	trace(c < C);
	trace(c == C);
	trace(C * C > 100);
	trace(C * C);
	i = C * C;
	trace(l * i);
	trace((u - 1) >> 4);
	trace((u & 0xff) >> 4);
	trace((i & 0xff) * 2 > 3);
	trace(p == probename);
	trace(stringof(p) == probename);
	trace(execname == "x");
	l = u + i;
	l = C + c;
	i += j * i;
	l += j * i;
	l /= i * j;
	a[i * j] = 1;
	trace(-C);
	trace(i > 0 ? C : c);
	trace(S << 4);
	trace(strlen(execname) + 1);
	trace(arg0 * 2 / 3);
	trace(timestamp / 1000);
}
BEGIN /i * j/
{
	exit(0);
}

BEGIN, END /* the same places twice */
{
	trace(sizeof(C + c) == 1 || u - i > 3);
}
