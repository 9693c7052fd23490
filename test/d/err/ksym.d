/*
 * @error: D_IDENT_UNDEF 4
 */
BEGIN { trace(`nosuch_symbol_here); }
