/*
 * Behind speculate() all parts of a clause with if statements are speculative.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f
 */
#pragma D option nspec=2
BEGIN { a = speculation(); b = speculation(); }
BEGIN
{
	speculate(b);
	if (b == 2) {
		trace("never");
	} else {
		trace("never");
	}
	trace("never");
}
BEGIN
{
	if (a == 1) {
		speculate(a);
		printf("then\n");
		if (a == 2)
			trace("never");
		printf("behind\n");
	}
	printf("outside\n");
}
BEGIN { printf("after\n"); commit_a = a; }
BEGIN { commit(a); discard(b); }
BEGIN { exit(0); }
