/*
 * Expressions may be deeper than there are registers.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 */
struct s { int m; };
struct s v[int];
int w[int, int, int, int, int, int, int, int];
BEGIN
{
	a = b = c = d = e = f = g = h = i = j = 3;
	printf("%d\n", a++ & (b++ & (c++ & (d++ & (e++ & (f++ & (g++ &
	    (h++ & (i++ & (j++ & 7))))))))));
	printf("%d %d\n", a, j);
	x = a - (b - (c - (d - (e - (f - (g - (h - (i - (j - strlen(
	    strjoin(probename, execname == "" ? "" : "xy")))))))))));
	printf("%d\n", x);
	printf("%d\n", strlen(strjoin("a", strjoin("b", strjoin("c",
	    strjoin("d", strjoin("e", strjoin("f", strjoin("g",
	    strjoin("h", strjoin("i", strjoin("j", "k"))))))))))));
	w[++a, ++b, ++c, ++d, ++e, ++f, ++g, strlen("abc")] =
	    a++ + (b++ + (c++ + (d++ + (e++ + (f++ + (g++ + h++))))));
	printf("%d\n", w[a, b, c, d, e, f, g, 3]);
	v[a].m = 5;
	v[a].m += a++ * (b++ * (c++ * (d++ * (e++ * (f++ * (g++ * v[6].m))))));
	printf("%d %d\n", v[6].m, v[7].m);
	exit(0);
}
