/*
 * @error: D_OP_DYN 4
 */
BEGIN { @a = count(); x = @a; }
