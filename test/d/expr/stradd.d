/*
 * A string plus a number is the string that begins so many bytes later.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 */
struct { string s; } v;
BEGIN
{
	a = "hello";
	printf("%s %s %s\n", a + 1, 2 + a, a + 3 - 1);
	b = a + 4;
	i = 2;
	printf("%s %d %d\n", b, strlen(a + i), a + 1 == "ello");
	printf("%s\n", strjoin("o" + 0, probename + 1));
	m["x"] = "member";
	printf("%s %s\n", m["x"] + 3, "xyz" + i);
	@[a + 2, strlen(a + 2)] = count();
	x = (string *)alloca(300);
	*x = "abc";
	printf("%s %s\n", *x, *x + 1);
	*x = strjoin(*x, *x);
	printf("%s\n", *x);
	exit(0);
}
