/*
 * A value that the option cannot have.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f
 * @stderr
 */
BEGIN { setopt("switchrate", "often"); setopt("switchrate"); exit(0); }
