/*
 * @error: D_CG_DYN 6
 */
struct o { int a; };
translator struct o < int I > { a = I; };
BEGIN { @[xlate <struct o *>(1)] = count(); }
