/*
 * @error: D_OP_INCOMPAT 6
 */
struct s { int a; };
struct s v, w;
BEGIN { trace(v == w); }
