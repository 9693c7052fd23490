/*
 * llquantize() came with 1.7.
 *
 * @error: D_FUNC_UNDEF 10
 */
#pragma D option version=1.6.3

BEGIN
{
	@ = llquantize(1, 10, 0, 3, 10);
}
