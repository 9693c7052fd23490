/*
 * A pragma lets functions be absent, as -Z does.
 * @run: -qs %f -c "sleep 0"
 */
#pragma D option zdefs
pid$target:a.out:no_such_function:entry,
pid$target:no_such_object::entry
{
	printf("fired\n");
}
BEGIN
{
	printf("compiled\n");
	exit(0);
}
