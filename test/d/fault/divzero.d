/*
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f
 * @stderr
 */

BEGIN { printf("before\n"); }
BEGIN { x = 0; y = 5 / x; printf("never\n"); }
BEGIN { printf("after\n"); exit(0); }
