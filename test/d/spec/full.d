/*
 * No more than specsize is kept of a speculation; the rest is counted.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -xspecsize=96 -s %f
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
