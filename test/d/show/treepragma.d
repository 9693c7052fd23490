/*
 * Trees are for who runs a program, not for who wrote it.
 *
 * @run: -e -s %f
 * @error: D_PRAGMA_OPTSET 7
 */
#pragma D option tree=1
BEGIN { }
