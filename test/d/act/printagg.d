/*
 * @error: D_PRINT_AGG 4
 */
BEGIN { @a = count(); print(@a); }
