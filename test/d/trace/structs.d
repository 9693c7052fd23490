/*
 * A struct or union is dumped, even if it looks like text; strings are cut to
 * strsize, constants too.
 * @needs: bpf
 * @engines: kernel process
 * @run: -x strsize=10 -qs %f
 */
struct one { char c; } one;
union text { char c[4]; int i; } text;
char array[4];

BEGIN
{
	one.c = 'A';
	text.c[0] = 'x';
	array[0] = 'y';
	trace(one);
	trace(text);
	trace(array);
	trace("abcdefghijkl");
	printf("|%s|\n", "abcdefghijkl");
	exit(0);
}
