/*
 * A pattern of functions that fits none.
 * @target: calls
 * @run: -n 'pid$target:a.out:app*put*:entry { trace(1); }' -c %t
 * @status: 1
 * @stderr
 */
