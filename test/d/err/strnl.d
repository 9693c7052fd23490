/*
 * @error: D_STR_NL 4
 */
BEGIN { x = "a
"; }
