/*
 * Starts and lengths before, at and behind the ends.
 *
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	s = "abcabc";
	printf("%d %d %d %d %d\n", index(s, "abc", -5), index(s, "abc", 1),
	    index(s, "abc", 3), index(s, "abc", 4), index(s, "c", 6));
	printf("%d %d %d %d %d\n", index(s, ""), index(s, "", 6),
	    index(s, "", 7), index("", ""), index("", "a"));
	printf("%d %d %d %d %d\n", rindex(s, "abc", -1), rindex(s, "abc", 0),
	    rindex(s, "abc", 2), rindex(s, "abc", 3), rindex(s, "abc", 99));
	printf("%d %d %d %d\n", rindex(s, ""), rindex(s, "", -1),
	    rindex(s, "", 3), rindex("", ""));
	printf("[%s] [%s] [%s] [%s]\n", substr(s, 6), substr(s, 7),
	    substr(s, -6), substr(s, -7));
	printf("[%s] [%s] [%s] [%s]\n", substr(s, 1, 0), substr(s, 1, -1),
	    substr(s, 1, -5), substr(s, 1, -6));
	printf("[%s] [%s] [%s] [%s]\n", substr(s, -8, 3), substr(s, -8, 2),
	    substr(s, -8, -1), substr(s, -2147483648, 2147483647));
	printf("[%s] [%s] [%s]\n", strstr(s, ""), strstr("", ""),
	    strstr(s, "cab"));
	printf("%d %d\n", strstr(s, "abcabca") == NULL, strstr("", "a") == NULL);
	printf("[%s] [%s] %d\n", strchr(s, 0), strrchr(s, '\0'),
	    strchr("", 'a') == NULL);
	printf("[%s] [%s]\n", strchr("a\351b", '\351'), strrchr("a\351b", 'b'));
	printf("[%s] [%s]\n", toupper("\344z{"), tolower("\304Z["));
	exit(0);
}
