/*
 * An aggregating function of bpftrace.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { @ = hist(arg0); }
