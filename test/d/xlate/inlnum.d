/*
 * @error: D_PROTO_LEN 5
 */
inline int f[int n] = n;
BEGIN { trace(f(1, 2)); }
