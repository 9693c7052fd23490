/*
 * Trees as they are parsed and as they are checked.
 *
 * @run: -e -xtree=3 -s %f
 * @stderr
 */
BEGIN
/ pid != 1 /
{
	self->x["a"] = (char)y++ + sizeof (int);
	if (y)
		trace(-1);
	else
		@[y] = count();
}
