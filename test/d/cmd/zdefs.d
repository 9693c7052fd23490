/*
 * -Z: what matches nothing.
 * @needs: bpf
 * @engines: kernel process
 * @run: -Zqs %f
 */
nosuch:::probe { trace(arg0); }
BEGIN { printf("here\n"); exit(0); }
