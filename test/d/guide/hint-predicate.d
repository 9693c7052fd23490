/*
 * A predicate that assigns, which was to compare; in parentheses it is meant so.
 * @engines: kernel process
 * @stderr
 */
int x;

BEGIN
/x = 0/
{
	printf("not this\n");
}

BEGIN
/(x = 1)/
{
	printf("x is %d\n", x);
	exit(0);
}
