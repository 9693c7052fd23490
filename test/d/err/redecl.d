/*
 * @error: D_DECL_IDRED 4
 */
int x; string x; BEGIN { exit(0); }
