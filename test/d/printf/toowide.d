/*
 * A width that only an accident can have made.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 * @status: 1
 */
BEGIN { printf("[%*d]\n", 1 << 30, 1); exit(0); }
