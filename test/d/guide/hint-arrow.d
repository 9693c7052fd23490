/*
 * @run: -s %f
 * @status: 1
 * @stderr
 */
struct thing { int a; } *p;
BEGIN { p = (struct thing *)0; trace(p.a); }
