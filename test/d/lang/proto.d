/*
 * @error: D_FUNC_IDKIND 5
 */
int foo(int, char *);
BEGIN { x = foo(1, "a"); }
