/*
 * A drop, as it is told to people: with the option that helps.
 * @needs: bpf
 * @engines: kernel process
 * @run: -x errfmt=full -q -xspecsize=96 -s %f
 * @stderr
 */
BEGIN { s = speculation(); }
BEGIN { speculate(s); printf("%d\n", 1); }
BEGIN { speculate(s); printf("%d\n", 2); }
BEGIN { speculate(s); printf("%d\n", 3); }
BEGIN { speculate(s); printf("%d\n", 4); }
BEGIN { speculate(s); printf("%d\n", 5); }
BEGIN { commit(s); }
BEGIN { exit(0); }
