/*
 * A function of bpftrace.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { printf("%s", str(arg0)); }
