/*
 * An argument beyond those that are variables.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
syscall::read:entry { trace(arg10); }
