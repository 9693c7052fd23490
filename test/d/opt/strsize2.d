/*
 * Sizes that are no multiple of a word.
 * @needs: bpf
 * @engines: kernel process
 * @run: -x strsize=3 -qs %f
 */
string g;
self string t;

BEGIN
{
	g = "abcdefgh";
	self->t = g;
	a[g] = "xyz";
	printf("[%s] [%s] [%s] %d", g, self->t, a["ab"], strlen(probename));
	printf(" [%s] [%s]", strjoin(g, "z"), substr(probename, 1));
	printf(" [%s] %d\n", lltostr(12345), g == "ab");
	@[g, probename] = count();
	exit(0);
}
