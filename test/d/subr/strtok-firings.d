/*
 * Each firing begins without a string: to go on with one is a fault.
 *
 * @needs: bpf
 */

int n;

tick-10ms
/n < 2/
{
	n++;
	printf("%s", strtok(NULL, " "));
}

tick-10ms
{
	printf("%s\n", strtok("1 2", " "));
}

tick-10ms
/n >= 2/
{
	exit(0);
}

ERROR
{
	printf("fault %d at %d: ", arg4, arg5);
}
