/*
 * A function of a program, without it.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
zzz_no_such:entry { }
