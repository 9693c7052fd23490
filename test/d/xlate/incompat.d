/*
 * @error: D_XLATE_INCOMPAT 7
 */
struct o { int a; int b; };
translator struct o < int I > {
	b = I;
	a = "s";
};
BEGIN { exit(0); }
