/*
 * @error: D_FUNC_UNDEF 8
 */

BEGIN
{
	this->x = 1;
	trace(ddi_pathname(0));
}
