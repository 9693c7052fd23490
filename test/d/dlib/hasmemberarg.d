/*
 * @error: D_SYNTAX 6
 */
BEGIN
{
	trace(__has_member(int));
}
