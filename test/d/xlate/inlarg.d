/*
 * @error: D_PROTO_ARG 5
 */
inline int f[int n] = n;
BEGIN { trace(f("s")); }
