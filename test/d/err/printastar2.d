/*
 * @error: D_PRINTF_DYN_TYPE 4
 */
BEGIN { @["a", 1] = count(); printa("%*d", @); }
