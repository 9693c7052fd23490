/*
 * chill() waits, half a second in a second and no more.
 * @needs: bpf
 * @engines: kernel process
 * @run: -wqs %f
 * @stderr
 */
BEGIN { chill(0); chill(1000); chill(400000000); printf("waited\n"); }
BEGIN { chill(99000000); printf("and again\n"); }
BEGIN { chill(2000000); printf("never\n"); }
BEGIN { chill(-1); printf("never\n"); }
dtrace:::ERROR { printf("fault %d in action %d\n", arg4, arg2); }
BEGIN { exit(0); }
