/*
 * Symbols of the kernel with a slip of the pen.
 * @needs: bpf kprobe
 * @run: -x errfmt=full -s %f
 * @status: 1
 * @stderr
 */
BEGIN { trace(`jiffis); }
BEGIN { trace(vmlinux`max_pnf); }
BEGIN { trace(`no_such_symbol_of_any_kernel); }
