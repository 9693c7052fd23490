/*
 * A system call of SystemTap.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
syscall.read.return { }
