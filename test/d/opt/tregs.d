/*
 * @run: -e -s %f
 * @error: D_PROTO_LEN 6
 */
#pragma D option tregs=2
BEGIN { a[1, 2, 3] = 1; }
