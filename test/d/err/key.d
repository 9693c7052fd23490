/*
 * @error: D_PROTO_LEN 5
 */
BEGIN { a[1] = 1; }
BEGIN { a[1, 2] = 1; }
