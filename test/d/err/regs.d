/*
 * Other probes have no registers of the kernel.
 * @needs: bpf
 * @run: -qs %f
 * @status: 1
 * @stderr
 */
syscall::getpid:entry { trace(regs[0]); }
