/*
 * @error: D_IDENT_BADREF 6
 */
struct o { int a; };
translator struct o < int I > {
	a = xlate <struct o *>(I - 1)->a;
};
BEGIN { trace(xlate <struct o *>(1)->a); }
