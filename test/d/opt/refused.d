/*
 * @run: -e -s %f
 * @error: D_PRAGMA_OPTSET 5
 */
#pragma D option zone=global
BEGIN { }
