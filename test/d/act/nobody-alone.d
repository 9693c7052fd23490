/*
 * A fault is told even if nothing in the program records.
 * @needs: bpf
 * @run: -wqn 'BEGIN { raise(10); } END { }' -xstatusrate=10ms -c true
 * @stderr
 */
