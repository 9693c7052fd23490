/*
 * A name where a number is wanted.
 * @run: -p sleep -qs %f
 * @status: 1
 * @stderr
 */
BEGIN { exit(0); }
