/*
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { trace(exename); }
