/*
 * @error: D_ARGS_IDX 6
 */
provider app { probe done(int r); };
#pragma D option zdefs
app12:::done { trace(args[1]); }
