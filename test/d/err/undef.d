/*
 * @error: D_IDENT_UNDEF 6
 */
BEGIN
{
	trace(nosuchvar);
}
