/*
 * @error: D_PRAGMA_OPTSET 4
 */
#pragma D option nosuch
