/*
 * @error: D_XLATE_REDECL 6
 */
struct o { int a; };
translator struct o < int I > { a = I; };
translator struct o < pid_t I > { a = I; };
BEGIN { exit(0); }
