/*
 * @error: D_XLATE_MEMB 7
 */
struct o { int a; int b; };
translator struct o < int I > {
	b = I;
	c = I;
};
BEGIN { exit(0); }
