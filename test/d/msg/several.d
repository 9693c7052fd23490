/*
 * Every error of a program, each with its line and a mark under its place; what
 * may be nothing but a consequence of one before (self->a, @a) is not told.
 * @run: -x errfmt=full -s %f
 * @status: 1
 * @stderr
 */
BEGIN
{
	x = foo();
	trace(x, 2);
}

syscall::opeat:entry
{
	trace(zz);
}

BEGIN
{
	self->a = 3 +;
}

tick-1s
{
	trace(self->a);
	@a = bar(1);
	printa(@a);
	clear(@a);
	if (1 == 2) { trace(1, 2) }
}

BEGIN, END { printf("%s %d\n", 1, 2); }
