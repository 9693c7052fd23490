/*
 * A pattern of providers that nobody has now.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
nosuchapp*:::query-start { }
