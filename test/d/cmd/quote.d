/*
 * A quote in the command of -c that does not end.
 *
 * @run: -qs %f -c "sleep '10"
 * @status: 1
 * @stderr
 */
BEGIN
{
	exit(0);
}
