/*
 * @error: D_PRINTF_ARG_TYPE 4
 */
BEGIN { printf("%d", "s"); }
