/*
 * The place of a conversion that is none, or has no argument, also behind
 * escapes.
 * @run: -x errfmt=full -es %f
 * @stderr
 * @status: 1
 */
BEGIN { printf("%d %s %q\n", 1, "a", 2); }

BEGIN { printf("a\n\x41\101 %d %d\n", 1); }

BEGIN { @[1] = count(); printa("%@d %d %d\n", @); }

BEGIN { printf("a %@d", 1); }
