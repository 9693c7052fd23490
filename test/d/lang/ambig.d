/*
 * @error: D_IDENT_AMBIG 4
 */
BEGIN { trace(Opt_favordynmods); }
