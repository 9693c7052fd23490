/*
 * The kernel's own group of tracepoints for system calls.
 * @run: -x errfmt=full -s %f
 * @needs: bpf
 * @status: 1
 * @stderr
 */
sdt:syscalls:: { }
