/*
 * A function of a program, with -f.
 * @run: -f zzz_no_such
 * @status: 1
 * @stderr
 */
