/*
 * Fields are counted from the right: three of them begin with the module.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
syscall:read:entry { }
