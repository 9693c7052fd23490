/*
 * A program may ask for a library by name.
 * @error: D_PRAGMA_DEPEND 6
 */
#pragma D depends_on library errno.d
#pragma D depends_on library nosuch.d
BEGIN
{
	exit(ENOENT);
}
