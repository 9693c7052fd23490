/*
 * A timer of bpftrace.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
interval:s:1 { }
