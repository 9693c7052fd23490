/*
 * Destructive actions need -w.
 * @run: -qs %f
 * @stderr
 * @status: 1
 */
BEGIN { chill(1); exit(0); }
