/*
 * @error: D_FUNC_UNDEF 8
 */

BEGIN
{
	this->x = 1;
	trace(sx_shared_held(0));
}
