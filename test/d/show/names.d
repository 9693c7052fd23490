/*
 * The first prefix of hidden variables, as the program has no word that begins so.
 *
 * @run: -e -d -qs %f
 */
BEGIN
{
	if (pid == 1)
		printf("one\n");
	exit(0);
}
