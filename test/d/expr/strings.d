/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	s = "hello";
	printf("%s %d\n", s, strlen(s));
	printf("[%s]\n", strjoin(s, " world"));
	printf("[%s] [%s] [%s]\n", substr(s, 1), substr(s, 1, 3), substr(s, -2));
	printf("%d %d %d\n", s == "hello", s != "hello", s < "help");
	printf("%s %s\n", basename("/usr/lib/libc.so"), dirname("/usr/lib/libc.so"));
	printf("%d %d %d\n", index("banana", "an"), rindex("banana", "an"), index("banana", "x"));
	printf("[%s] [%s] [%s]\n", strchr("banana", 'n'), strrchr("banana", 'n'), strstr("banana", "nan"));
	printf("%s %s\n", toupper("MiXed"), tolower("MiXed"));
	exit(0);
}
