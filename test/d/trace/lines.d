/*
 * A record a line; printf() adds no line of its own.
 * @needs: bpf
 * @engines: kernel process
 * @run: -s %f
 */
BEGIN {}
BEGIN { trace(2); printf("a\n"); printf("b\n"); }
BEGIN { printf("c"); exit(0); }
