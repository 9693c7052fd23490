/*
 * @error: D_VAR_UNDEF 4
 */
inline int f[int n] = n == 0 ? 1 : n * f[n - 1];
BEGIN { trace(f(3)); }
