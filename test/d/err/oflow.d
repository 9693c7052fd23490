/*
 * @error: D_INT_OFLOW 4
 */
BEGIN { trace(18446744073709551616); }
