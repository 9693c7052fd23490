/*
 * SystemTap calls what is a variable in D.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { trace(execname()); }
