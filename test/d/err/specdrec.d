/*
 * What a clause records is all speculative or none of it.
 * @error: D_SPEC_DREC 8
 */
BEGIN
{
	trace(1);
	speculate(1);
}
