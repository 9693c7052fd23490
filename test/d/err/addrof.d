/*
 * @error: D_ADDROF_VAR 4
 */
BEGIN { x = 1; trace(&x); }
