/*
 * @error: D_DIV_ZERO 4
 */
inline int f[int n] = 1 / n;
BEGIN { exit(0); }
BEGIN { trace(f(0)); }
