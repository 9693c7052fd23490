/*
 * What is no number at all is told.
 *
 * @run: -e -s %f
 * @status: 1
 * @stderr
 */
profile:::profile-abc { }
