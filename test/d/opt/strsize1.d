/*
 * A string of one byte is empty: the NUL is all there is room for.
 * @needs: bpf
 * @engines: kernel process
 * @run: -x strsize=1 -qs %f
 */
string g;
self string t;

BEGIN
{
	g = "abc";
	self->t = probename;
	a[g] = "xyz";
	printf("[%s] [%s] [%s] %d", g, self->t, a[""], strlen(probename));
	printf(" [%s] [%s]", strjoin(probename, "z"), substr(probename, 1));
	printf(" [%s] %d\n", lltostr(12), g == "");
	@[g, probename] = count();
	exit(0);
}
