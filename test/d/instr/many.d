/*
 * More instructions of the kernel than are added in a bearable time.
 * @needs: bpf kprobe
 * @status: 1
 * @stderr
 */
instr::vfs_*:mov-* { @ = count(); }
