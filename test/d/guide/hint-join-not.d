/*
 * What is no string is not joined.
 * @run: -qs %f
 * @status: 1
 * @stderr
 */
BEGIN { p = (int *)8; trace(p + p); exit(0); }
