/*
 * What the kernel does not know is refused where it is used.
 * @error: D_XLATE_NOCONV 7
 */
BEGIN
{
	trace(curpsinfo->pr_pctcpu);
}
