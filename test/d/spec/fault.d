/*
 * A fault abandons the record of its clause, speculative or not; what the
 * clause did before, it did.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f
 */
BEGIN { s = speculation(); }
BEGIN { speculate(s); printf("kept\n"); }
BEGIN { speculate(s); printf("lost %d\n", *(int *)0); }
BEGIN { commit(s); x = *(int *)0; }
BEGIN { speculate(s); trace("never"); }
BEGIN { exit(0); }
ERROR { printf("error in action %d\n", (int)arg2); }
