/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	printf("%s", strtok(":root:x::0", ":"));
	printf(",%s", strtok(NULL, ":"));
	printf(",%s", strtok(NULL, ":"));
	printf(",%d\n", strtok(NULL, ":") == NULL);
}

/* each clause has its own */
BEGIN
{
	printf("%d\n", strtok(NULL, ":") == NULL);
	exit(0);
}
