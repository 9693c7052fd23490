/*
 * An argument of a tool that has to be given, and is not.
 * @run: run usertime -p 1 a.out
 * @status: 2
 * @stderr
 */
