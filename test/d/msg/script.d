/*
 * A script without -s: the first line alone is compared.
 * @run: %f
 * @status: 2
 * @stderr
 */
