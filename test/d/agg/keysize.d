/*
 * Structures that differ in size are no keys of one place.
 * @error: D_PROTO_ARG 8
 */
struct { int a; } x;
struct { long a; } y;
BEGIN { @[x] = count(); }
BEGIN { @[y] = count(); }
