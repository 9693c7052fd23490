/*
 * An option that is fixed once tracing has begun.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f
 * @stderr
 * @status: 1
 */
BEGIN { printf("before\n"); setopt("bufsize", "1m"); printf("after\n"); exit(0); }
