/*
 * @error: D_PROTO_ARG 7
 */

BEGIN
{
	trace(d_path(curthread));
}
