/*
 * @error: D_DIV_ZERO 4
 */
BEGIN { x = 1 / 0; }
