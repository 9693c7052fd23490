/*
 * exec's argument is a string, and exit's a number.
 * @needs: bpf
 * @error: D_ARGS_MULTI 6
 */
proc:::ex[ei][ct] { trace(args[0]); }
