/*
 * What a rate may be is told.
 *
 * @run: -e -s %f
 * @status: 1
 * @stderr
 */
profile-100000 { }
