/*
 * An option that is fixed once tracing has begun: a notice, and it goes on.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f
 * @stderr
 */
BEGIN { printf("before\n"); setopt("bufsize", "1m"); printf("after\n"); exit(0); }
