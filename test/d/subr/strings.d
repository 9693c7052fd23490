/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	s = "/usr/lib/gcc/libx.so";
	printf("%d %s %s %s\n", strlen(s), basename(s), dirname(s),
	    cleanpath("/usr/./lib//../bin/"));
	printf("%s %s %s\n", strchr(s, 'l'), strrchr(s, '/'), strstr(s, "gcc"));
	printf("%d %d %d\n", strchr(s, '?') == NULL, strrchr(s, '?') == 0,
	    strstr(s, "gcc/x") == NULL);
	printf("%d %d %d %d\n", index(s, "lib"), index(s, "lib", 6),
	    index(s, "none"), index(s, "", 500));
	printf("%d %d %d %d\n", rindex(s, "lib"), rindex(s, "lib", 12),
	    rindex(s, "none"), rindex(s, "/", -1));
	printf("[%s] [%s] [%s] [%s] [%s]\n", substr(s, 5), substr(s, -7),
	    substr(s, 5, 3), substr(s, -7, -3), substr(s, 99));
	printf("%s %s\n", toupper("Mixed Case 1"), tolower("Mixed Case 1"));
	printf("%s\n", strjoin(strjoin("one", "-"), strjoin("two", "")));
	exit(0);
}
