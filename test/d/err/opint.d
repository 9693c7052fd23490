/*
 * @error: D_OP_INT 4
 */
BEGIN { x = "a" % 2; }
