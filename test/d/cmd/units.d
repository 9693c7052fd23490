/*
 * The units of intervals are told.
 *
 * @run: -e -s %f
 * @status: 1
 * @stderr
 */
profile:::tick-5sek { }
