/*
 * What a probe itself runs has none.
 * @needs: bpf kprobe
 * @error: D_PROC_FUNC 6
 */
instr::bpf_prog_load:call-* { trace(1); }
