/*
 * As exit.d, of a probe that fires while tracing is on.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -c 'sleep 2'
 * @status: 7
 * Standard error names the number of the probe, which is the machine's.
 */
tick-10ms { x++; trace(*(int *)0x40); }
tick-10ms { printf("ran "); exit(5); }
ERROR { printf("err %d", x); exit(7); }
