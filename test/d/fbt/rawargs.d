/*
 * The arguments of rawfbt are numbers.
 * @needs: bpf kprobe
 * @error: D_ARGS_IDX 6
 */
rawfbt::vfs_read:entry { trace(args[0]); }
