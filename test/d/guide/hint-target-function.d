/*
 * A function of the target, without it.
 * @run: -s %f -c true
 * @status: 1
 * @stderr
 */
malloc:entry { }
