/*
 * @error: D_OP_WRITE 4
 */
BEGIN { pid = 1; }
