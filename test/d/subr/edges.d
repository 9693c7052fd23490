/*
 * Edges of subroutines that the guides leave open and scripts rely on.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 */
BEGIN
{
	printf("[%s] [%s] [%s]\n", substr("abcde", -9, 3),
	    substr("abcde", -7, 3), substr("abcde", -9));
	printf("[%s] [%s]\n", basename(""), cleanpath(""));
	printf("[%s] [%s]\n", strtok("a,b;c", ","), strtok(NULL, ";"));
	p = alloca(0);
	q = alloca(0);
	printf("%d\n", p == q);
	n = (char *)alloca(8);
	printf("%d\n", (char *)p == n);
	bits = rand() | rand() | rand() | rand() | rand() | rand() | rand() |
	    rand() | rand() | rand() | rand() | rand() | rand() | rand();
	bits |= rand() | rand() | rand() | rand() | rand() | rand() | rand() |
	    rand() | rand() | rand() | rand() | rand() | rand() | rand();
	printf("%d\n", (bits >> 30) & 3);
}
/* The string of strtok() lives as long as the firing. */
BEGIN { printf("%s ", strtok("a,b", ",")); }
BEGIN { printf("%s\n", strtok(NULL, ",")); }
BEGIN { printf("%d\n", strtok(NULL, ",") == NULL); }
BEGIN { exit(0); }
END { trace(strtok(NULL, ",")); }
END { trace(strtok(strstr("a", "b"), "x") == NULL); }
