/*
 * @error: D_KEY_TYPE 6
 */
struct o { int a; };
translator struct o < int I > { a = I; };
BEGIN { @[xlate <struct o *>(1)] = count(); }
