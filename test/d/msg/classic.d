/*
 * Where standard error is no terminal: one line, the first error.
 * @run: -n 'BEGIN { trace(foo()); trace(bar()); }'
 * @status: 1
 * @stderr
 */
