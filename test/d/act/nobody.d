/*
 * In BEGIN and END there is no process that a signal could be meant for.
 * @needs: bpf
 * @engines: kernel process
 * @run: -wqs %f
 * @stderr
 */
BEGIN { raise(10); printf("never\n"); }
BEGIN { stop(); printf("never\n"); }
BEGIN { exit(0); }
END { raise(9); printf("never\n"); }
