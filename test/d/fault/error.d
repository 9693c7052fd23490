/*
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f
 */

BEGIN { trace(*(int *)0x10); }
ERROR { printf("fault %d value %x action %d\n", arg4, arg5, arg2); exit(0); }
