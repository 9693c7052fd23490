/*
 * An option that is like no other.
 * @stderr
 * @status: 1
 * @run: -x qqqqqq -s %f
 */
