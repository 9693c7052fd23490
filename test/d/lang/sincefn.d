/*
 * A function that came later is told as one.
 *
 * @run: -e -xversion=1.0 -s %f
 * @status: 1
 * @stderr
 */
BEGIN
{
	trace(strstr("abc", "b"));
}
