/*
 * @error: D_PROTO_ARG 7
 */

BEGIN
{
	trace(json(1, "a"));
}
