/*
 * @error: D_OP_LVAL 4
 */
BEGIN { pid = 1; }
