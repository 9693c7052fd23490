/*
 * The rest of a clause is left out.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { next; }
