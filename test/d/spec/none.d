/*
 * There is one speculation unless nspec says more: the second speculation()
 * fails, and that is told.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -xdroptags -s %f
 * @stderr
 */
BEGIN { a = speculation(); b = speculation(); }
BEGIN { printf("%d %d\n", a, b); }
BEGIN { speculate(b); trace("never"); }
BEGIN { commit(a); c = speculation(); d = speculation(); }
BEGIN { printf("%d %d\n", c, d); exit(0); }
