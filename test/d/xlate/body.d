/*
 * @error: D_VAR_UNDEF 6
 */
struct o { int a; };
translator struct o < int I > {
	a = self->nosuch;
};
BEGIN { exit(0); }
