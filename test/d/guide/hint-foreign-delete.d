/*
 * Rows are taken away.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { @x[1] = count(); delete(@x); }
