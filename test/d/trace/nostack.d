/*
 * BEGIN and END have no stacks.
 * @needs: bpf
 */
BEGIN, END
{
	stack();
	ustack();
	printf("%d %d %d\n", stackdepth, ustackdepth, caller == ucaller);
}

BEGIN
{
	@[stack()] = count();
	exit(0);
}
