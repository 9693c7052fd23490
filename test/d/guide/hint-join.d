/*
 * Strings are not joined by a dot.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { x = "a"."b"; }
