/*
 * A brace that is not closed.
 * @run: -n 'BEGIN { if (1) { trace(1)'
 * @status: 1
 * @stderr
 */
