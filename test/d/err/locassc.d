/*
 * @error: D_DECL_LOCASSC 4
 */
this int a[int];
BEGIN { exit(0); }
