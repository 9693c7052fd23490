/*
 * -Z: what matches nothing.
 * @needs: bpf
 * @run: -Zqs %f
 */
nosuch:::probe { trace(arg0); }
BEGIN { printf("here\n"); exit(0); }
