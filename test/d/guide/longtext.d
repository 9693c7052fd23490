/*
 * Of a program on the command line an error repeats the beginning.
 * @run: -n 'BEGIN { trace("0123456789"); trace("0123456789"); trace("0123456789"); trace("0123456789"); trace("0123456789"); trace("0123456789"); trace("0123456789"); trace("0123456789"); trace("0123456789"); trace("0123456789"); nope }'
 * @status: 1
 * @stderr
 */
