/* @error: D_VAR_UNSUP 2 */
BEGIN { trace(zonename); }
