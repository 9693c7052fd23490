/*
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { pritnf("hello\n"); }
