/*
 * @error: D_KEY_TYPE 5
 */
struct { char a[2000]; int b; } x;
BEGIN { @[x] = count(); }
