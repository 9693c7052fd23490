/*
 * A statement is written as often as it is to run.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { unroll(3) { n++; } }
