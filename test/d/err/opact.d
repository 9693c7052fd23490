/*
 * @error: D_OP_ACT 4
 */
BEGIN { x = trace(1); }
