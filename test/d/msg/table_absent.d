/*
 * A probe that others have and Linux cannot, of a provider that is a table: why.
 * @run: -n vminfo:::rev
 * @status: 1
 * @stderr
 */
