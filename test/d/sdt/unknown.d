/*
 * A tracepoint that no kernel has.
 * @needs: bpf
 * @error: D_PDESC_ZERO 7
 */
sdt:::sched_switch,
sdt:::no_such_tracepoint
{
}
