/*
 * @error: D_PRINT_DYN 4
 */
BEGIN { print(stack()); }
