/*
 * An option that does not exist; without a value it would be set to 1.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f
 * @stderr
 */
BEGIN { setopt("nosuch"); setopt("nosuch", "3"); exit(0); }
