/*
 * -e is not strace's.
 * @run: -e trace=openat ls
 * @status: 2
 * @stderr
 */
