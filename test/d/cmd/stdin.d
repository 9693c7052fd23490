/*
 * A program from standard input.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs -
 * @stdin: BEGIN { printf("from stdin\\n"); exit(3); }
 * @status: 3
 */
