/*
 * @error: D_FUNC_UNDEF 5
 */
BEGIN { x = 1; }
BEGIN { return (0); }
