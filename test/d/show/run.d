/*
 * What tools/roundtrip runs as -d writes it: parts, order, and what a fault in
 * a condition leaves out.
 *
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN, END
/ n++ >= 0 /
{
	if (n == 1)
		printf("%s first\n", probename);
	else if (n == 2) {
		printf("%s second\n", probename);
		if (probename == "END")
			printf("which is the end\n");
		else
			printf("which is not\n");
	} else {
		printf("never\n");
	}
	printf("behind\n");
}

BEGIN
{
	if (*(int *)0 == 1)
		printf("never\n");
	else
		printf("never\n");
	printf("never\n");
}

BEGIN
{
	this->a = 7;
	if (this->a > 3 ? this->a - 7 : 1)
		printf("no\n");
	else
		@["counted"] = sum(this->a);
	if (0) ; else printf("empty arm\n");
	exit(0);
}
