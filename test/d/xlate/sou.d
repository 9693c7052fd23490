/*
 * @error: D_XLATE_SOU 4
 */
translator int < int I > { a = I; };
BEGIN { exit(0); }
