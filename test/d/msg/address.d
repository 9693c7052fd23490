/*
 * An address is no string.
 * @run: -n 'BEGIN { printf("%s", arg1); }'
 * @status: 1
 * @stderr
 */
