/*
 * Arguments of a tracepoint have the names that the kernel's source gives them.
 * @needs: bpf
 * @run: -lvn sdt:::sched_process_exec
 */
