/*
 * @error: D_XLATE_SOU 4
 */
BEGIN { trace(xlate <int>(1)); }
