/*
 * Instructions of a function of the kernel, by offset and by kind, are met as
 * often as the program calls it; the registers are the kernel's.
 * @needs: bpf kprobe
 * @run: -qs %f -c 'dd if=/dev/zero of=/dev/null bs=7 count=1000 status=none'
 * @timeout: 120
 */
kinst::write_null:0
/pid == $target && regs[R_RIP] > 0xffff000000000000/
{
	@first = count();
}

instr::write_null:mov-*
/pid == $target && regs[R_RDX] == 7/
{
	@moves[probename] = count();
}

END { printa("%@d\n", @first); printa("%@d\n", @moves); }
