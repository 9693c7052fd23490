/*
 * A value that is none: what it should have been.
 * @run: -x switchrate=often -s %f
 * @status: 1
 * @stderr
 */
BEGIN { exit(0); }
