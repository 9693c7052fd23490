/*
 * Each firing begins without a string.
 *
 * @needs: bpf
 */

int n;

tick-10ms
/n < 2/
{
	n++;
	printf("%d ", strtok(NULL, " ") == NULL);
	printf("%s\n", strtok("1 2", " "));
}

tick-10ms
/n >= 2/
{
	exit(0);
}
