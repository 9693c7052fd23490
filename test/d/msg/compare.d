/*
 * = for ==
 * @run: -n 'BEGIN /pid = 3/ { trace(1); }'
 * @status: 1
 * @stderr
 */
