/*
 * The number of the process.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { trace(tgid); }
