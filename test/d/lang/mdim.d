/*
 * @error: D_AGG_MDIM 4
 */
BEGIN { @a[1][2] = count(); }
