/*
 * What only the command line may say.
 * @run: -e -s %f
 * @error: D_PRAGMA_OPTSET 6
 */
#pragma D option setenv=A=1
BEGIN { }
