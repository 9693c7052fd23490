/*
 * @error: D_FUNC_UNDEF 4
 */
BEGIN { nosuchfunction(1); }
