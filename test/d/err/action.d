/*
 * @error: D_OP_INCOMPAT 4
 */
BEGIN { x = trace(1) + 1; }
