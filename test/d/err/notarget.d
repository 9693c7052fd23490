/*
 * @error: D_MACRO_UNDEF 5
 * A probe in no process.
 */
pid$target::main:entry { exit(0); }
