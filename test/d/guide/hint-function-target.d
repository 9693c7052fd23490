/*
 * A function of the target, with -f.
 * @run: -f malloc -c true
 * @status: 1
 * @stderr
 */
