/*
 * A value that the option cannot have.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f
 * @stderr
 * @status: 1
 */
BEGIN { setopt("switchrate", "often"); exit(0); }
