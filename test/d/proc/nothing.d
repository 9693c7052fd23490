/*
 * Probes without arguments have none.
 * @error: D_ARGS_IDX 5
 */
proc:::exec-success { trace(args[0]); }
