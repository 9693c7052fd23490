/*
 * A function that must not have probes.
 * @needs: bpf kprobe
 * @error: D_PROC_FUNC 6
 */
fbt::exc_int3:entry { trace(1); }
