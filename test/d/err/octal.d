/*
 * @error: D_INT_DIGIT 4
 */
BEGIN { x = 089; }
