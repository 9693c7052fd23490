/*
 * @error: D_SYNTAX 5
 */
BEGIN {
	x = ;
}
