/*
 * Where nothing is near, nothing is suggested.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
syscall::frobnicate:entry { }
