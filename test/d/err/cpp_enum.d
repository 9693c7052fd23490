/*
 * @error: D_DECL_IDRED 5
 * An enumerator may repeat an inline of the D library only with its value.
 */
enum types { SOCK_DGRAM = 2, SOCK_STREAM = 3 };
BEGIN { exit(0); }
