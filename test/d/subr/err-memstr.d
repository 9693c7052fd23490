/*
 * @error: D_PROTO_LEN 7
 */

BEGIN
{
	trace(memstr("a", 32));
}
