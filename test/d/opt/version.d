/*
 * @run: -e -x version=1.14 -s %f
 * @status: 1
 * @stderr
 */
BEGIN { }
