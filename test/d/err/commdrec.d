/*
 * A clause that commits records nothing.
 * @error: D_DREC_COMM 8
 */
BEGIN
{
	commit(1);
	trace(1);
}
