/*
 * @error: D_ARR_BADREF 5
 */
inline int f[int n] = n;
BEGIN { trace(f); }
