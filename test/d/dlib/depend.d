/*
 * Libraries depend on each other; a program has them all.
 * @error: D_PRAGMA_DEPEND 5
 */
#pragma D depends_on library errno.d
BEGIN
{
	exit(ENOENT);
}
