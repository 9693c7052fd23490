/*
 * The body in an argument of its own.
 * @run: -n BEGIN '{ exit(0); }'
 * @status: 1
 * @stderr
 */
