/*
 * @error: D_OP_LVAL 5
 */
inline int f[int n] = n;
BEGIN { f[1] = 2; }
