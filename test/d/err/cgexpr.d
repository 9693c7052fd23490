/*
 * An aggregating function whose value goes nowhere.
 *
 * @error: D_CG_EXPR 8
 */
BEGIN
{
	avg(1);
}
