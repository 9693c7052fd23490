/*
 * A probe of bpftrace.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
kprobe:vfs_read { }
