/*
 * @error: D_PROTO_LEN 4
 */
BEGIN { a[1] = 2; a[1, 2] = 3; }
