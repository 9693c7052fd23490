/*
 * @error: D_CHR_NULL 4
 */
BEGIN { x = ''; }
