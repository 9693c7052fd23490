/*
 * A tracepoint of a system call.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
tracepoint:syscalls:sys_enter_openat { }
