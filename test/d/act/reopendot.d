/*
 * @error: D_FREOPEN_INVALID 4
 */
BEGIN { freopen("."); }
