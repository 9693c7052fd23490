/*
 * What only a later clause assigns is unknown.
 * @run: -e -s %f
 * @error: D_IDENT_UNDEF 6
 */
BEGIN /x == 0/ { y = 1; }
BEGIN { x = 1; }
