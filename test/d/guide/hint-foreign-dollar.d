/*
 * A variable with a dollar.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { $x = 1; }
