#!dtrace -Cqs
/*
 * @error: D_IDENT_UNDEF 7
 * @run: -C -es %f
 * Lines are counted with the one for the kernel.
 */
BEGIN { trace(nosuch); }
