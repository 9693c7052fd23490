/*
 * scratchsize bounds what a clause may take.
 * @needs: bpf
 * @engines: kernel process
 * @run: -x scratchsize=64 -qs %f
 * @stderr
 */
BEGIN { n = 65; p = alloca(n); printf("never"); }
BEGIN { n = 64; p = alloca(n); printf("%d\n", p != NULL); }
BEGIN { p = alloca(60); p = alloca(1); printf("never"); }
BEGIN { p = alloca(56); printf("%s\n", strjoin("abcd", "efg")); }
BEGIN { p = alloca(56); printf("%s\n", strjoin("abcd", "efgh")); }
BEGIN { exit(0); }
