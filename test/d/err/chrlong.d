/*
 * @error: D_CHR_OFLOW 4
 */
BEGIN { trace('abcdefghi'); }
