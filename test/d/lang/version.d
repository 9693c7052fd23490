/*
 * @error: D_IDENT_UNDEF 9
 */
#pragma D option version=1.0
inline int old = 1;
#pragma D binding "1.0" old
inline int new = 2;
#pragma D binding "1.2" new
BEGIN { trace(old); trace(new); }
