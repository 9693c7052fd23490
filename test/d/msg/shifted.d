/*
 * A provider where the module stands, and the function where the name does.
 * @run: -n 'syscall::openat { trace(1); }'
 * @status: 1
 * @stderr
 */
