/*
 * %k is for stacks alone.
 * @run: -x errfmt=full -s %f
 * @status: 1
 * @stderr
 */
BEGIN { printf("%k", 1); }
BEGIN { printf("%k", execname); }
