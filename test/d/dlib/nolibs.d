/*
 * Without libraries their names are unknown; the compiler's own are not.
 * @run: -xnolibs -e -s %f
 * @error: D_IDENT_UNDEF 9
 */
BEGIN
{
	trace(DTRACEFLT_BADADDR + DTRACEFLT_ILLOP);
	trace(DTRACEFLT_LIBRARY);
}
