/*
 * 'text' is a number.
 * @run: -x errfmt=full -s %f
 * @status: 1
 * @stderr
 */
BEGIN /execname == 'bash'/ { exit(0); }
BEGIN { printf("%s", 'abc'); }
BEGIN { x = strlen('abc'); }
BEGIN { trace('abcdefghi'); }
