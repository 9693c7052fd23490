/*
 * C has loops.
 * @run: -n 'BEGIN { for (i = 0; i < 3; i++) trace(i); }'
 * @status: 1
 * @stderr
 */
