/*
 * @error: D_TYPE_MEMBER 4
 */
struct s { int a; }; struct s x; BEGIN { trace(x.b); }
