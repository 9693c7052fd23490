/*
 * @error: D_MACRO_UNDEF 4
 */
BEGIN { x = $1; }
