/*
 * @error: D_MACRO_UNUSED
 * @run: -es %f 1 2
 */
BEGIN { trace($1); }
