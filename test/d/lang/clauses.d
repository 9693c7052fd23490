/*
 * Lists of probes, assignments in predicates and subscripts, empty statements,
 * a missing last semicolon, if of every form.
 *
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN, END
{
	printf("%s\n", probename);
}

BEGIN
/(x = 3)/
{
	;;
	if (x == 3)
		printf("a\n");
	else
		printf("b\n");
	if (x == 0) {
		printf("no\n");
	} else if (x > 2) {
		printf("c\n");
		if (x == 3)
			if (x == 0)
				printf("no\n");
			else
				printf("d\n");
	} else
		printf("no\n");
	if (x)
		;
	else
		printf("no\n");
	if (x) {
	}
	x = 0
}

BEGIN
/(y = x++) == 0 && x/
{
	a[b = 2] = 3;
	printf("%d %d %d %d\n", x, y, b, a[2]);
	this->u = 1, this->v = 2;
	printf("%d\n", (this->u, this->v))
}

BEGIN
/0/
{
	printf("no\n");
}

BEGIN {}
BEGIN { exit(0) }
