/*
 * A program is no provider.
 * @run: -h -s %f -o /dev/stdout
 * @status: 1
 * @stderr
 */
BEGIN
{
	exit(0);
}
