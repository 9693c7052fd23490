/*
 * @run: -s %f
 * @status: 1
 * @stderr
 */
struct thing { int a; } s;
BEGIN { trace(s->a); }
