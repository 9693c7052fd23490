/*
 * @error: D_PRINTF_DYN_PROTO 4
 */
BEGIN { @[1] = count(); printa("%d %*d", @); }
