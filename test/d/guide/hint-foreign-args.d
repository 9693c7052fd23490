/*
 * Arguments by their names.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
syscall::read:entry { trace(args->count); }
