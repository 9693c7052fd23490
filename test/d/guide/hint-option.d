/*
 * An argument that looks like an option.
 * @run: -s %f -7
 * @status: 2
 * @stderr
 */
BEGIN { exit($1); }
