/*
 * An option that does not exist.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f
 * @stderr
 * @status: 1
 */
BEGIN { setopt("nosuch"); exit(0); }
