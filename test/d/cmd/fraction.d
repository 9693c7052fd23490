/*
 * A number with a fraction: what is to be written.
 *
 * @run: -e -s %f
 * @status: 1
 * @stderr
 */
profile:::tick-0.5s { }
