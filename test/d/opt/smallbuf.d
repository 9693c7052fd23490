/*
 * A buffer that one record does not fit in.
 * @needs: bpf
 * @engines: kernel process
 * @status: 1
 * @stderr
 * @run: -x bufsize=64 -x aggsize=100 -x dynvarsize=0 -qs %f
 */
BEGIN { trace(execname); exit(0); }
