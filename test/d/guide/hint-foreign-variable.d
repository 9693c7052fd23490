/*
 * A word of bpftrace: comm is near ECOMM, which is not meant.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { trace(comm); }
