/*
 * The function where the name stands.
 * @run: -n 'syscall:::openat { trace(1); }'
 * @status: 1
 * @stderr
 */
