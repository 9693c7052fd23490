/*
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f
 */

BEGIN { trace(copyinstr(1)); }
ERROR { printf("%d %d\n", arg4, arg5); exit(0); }
