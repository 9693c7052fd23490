/*
 * The same with the largest strsize.
 *
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -xstrsize=65536
 */

BEGIN
{
	s14 = "abcdefghijklmn";
	s15 = "abcdefghijklmno";
	s16 = "abcdefghijklmnop";
	printf("%d %d %d\n", strlen(s14), strlen(s15), strlen(s16));
	printf("%s %s %s\n", s14, s15, s16);
	printf("%d %d\n", s15 == s16, s14 == s15);
}

BEGIN
{
	printf("%s %s %s\n", strjoin(s14, "X"), strjoin(s14, "XY"),
	    strjoin(s15, "X"));
	printf("%s %s %s\n", strjoin("", s16), strjoin(s16, ""),
	    strjoin(s16, s16));
}

BEGIN
{
	printf("[%s] [%s] [%s]\n", substr(s16, 14), substr(s16, 15),
	    substr(s16, -1));
	printf("%d %d %d\n", index(s16, "o"), index(s16, "p"),
	    rindex(s16, "o", 15));
	printf("%d %d %s\n", strchr(s16, 'o') == NULL, strchr(s16, 'p') == NULL,
	    strrchr(s16, 'g'));
	printf("%s\n", toupper(s16));
}

BEGIN
{
	printf("%s %s\n", basename("/0123456789/abcdef"),
	    dirname("/0123456789abcdef/x"));
	printf("%s\n", cleanpath("/01234/../56789/abc"));
	printf("%s %s\n", lltostr(-1, 2), lltostr(-1));
	printf("%d\n", strtoll("000000000000001234"));
}

BEGIN
{
	printf("%s\n", strtok("abcdefghijklmnopq r", " "));
	printf("%d\n", strtok(NULL, " ") == NULL);
	this->m = (char *)alloca(32);
	bcopy(s16, this->m, 5);
	bcopy("fghijklmnopqrst", this->m + 5, 15);
	/* no NUL in the first 16 bytes */
	printf("%s %d %s\n", stringof(this->m), strlen(this->m),
	    memstr(this->m, '.', 32));
	this->n = (char *)alloca(8);
	this->n[6] = 'x';
	printf("%s\n", memstr(this->n, '.', 8));
	printf("%d\n", json("{\"k\":\"0123456789\"}", "k") == NULL);
}

ERROR
{
	printf("fault %d in action %d\n", arg4, arg2);
}

BEGIN
{
	exit(0);
}
