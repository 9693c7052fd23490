/*
 * @error: D_OP_INCOMPAT 4
 */
inline int f[string s] = s;
BEGIN { trace(f("a")); }
