/*
 * The clauses that if and else become, with names that the program lacks.
 *
 * @run: -e -d -qs %f
 */
BEGIN, END
/ if_1++ == 0 /
{
	this->if0_ = 1;
	if (probename == "BEGIN") {
		printf("begin\n");
		if (this->if0_)
			printf("inner\n");
	} else if (pid == 1)
		printf("one\n");
	else
		printf("other\n");
	exit(0);
}

BEGIN
{
	spec = speculation();
	if (1) {
		speculate(spec);
		if (2)
			printf("both\n");
	}
}
