/*
 * Strings that are NULL compare with all others without a fault: NULL equals
 * NULL and is less than any other string.  To print one is a fault.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 */
string g;
self string t;
BEGIN
{
	s = strchr("abc", 'z');
	t = strstr("abc", "z");
	printf("%d %d %d %d\n", s == t, s != t, s <= t, s < t);
	printf("%d %d %d %d\n", s != "a", s < "a", "a" > s, s >= "a");
	printf("%d %d %d %d\n", s == NULL, s < "", "" > s, s == "");
	printf("%d %d\n", strchr("abc", 'b') > s, self->t == s);
	g = NULL;
	self->t = "x";
	self->t = NULL;
	a[1] = "y";
	a[1] = NULL;
	printf("%d %d %d\n", g == NULL, self->t == g, a[1] == g);
}
BEGIN { trace(s); }
BEGIN { printf("%s", g); }
BEGIN { trace(g[1]); }
BEGIN { exit(0); }
