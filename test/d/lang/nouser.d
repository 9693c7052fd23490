/*
 * @error: D_DECL_COMBO 4
 */
userland int x;
BEGIN { exit(0); }
