/*
 * Actions of other systems are refused by name.
 * @error: D_FUNC_UNDEF 6
 */
BEGIN { x = 1; }
BEGIN { panic(); }
