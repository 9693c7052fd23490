/*
 * The same with tags, of what the preprocessor made.
 * @run: -C -x errtags -x errfmt=full -s %f
 * @status: 1
 * @stderr
 */
#define WHAT(x) foo(x)

BEGIN { trace(1); }
END { trace(WHAT(2)); }
