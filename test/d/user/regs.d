/*
 * Registers by number and by name, at entry.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c %t
 */
pid$target:a.out:eight:entry
{
	printf("%d %d %d %d %d %d\n", uregs[R_RDI] == arg0,
	    uregs[R_RSI] == arg1, uregs[R_RDX] == arg2, uregs[R_RCX] == arg3,
	    uregs[R_R8] == arg4, uregs[R_R9] == arg5);
	this->top = (uint64_t *)copyin(uregs[R_RSP], 24);
	printf("%d %d %d\n", this->top[1], this->top[2],
	    uregs[R_RSP] % 16);
	printf("%d %d\n", uregs[R_RIP] != 0, uregs[R_RIP] == uregs[R_PC]);
}
pid$target:a.out:eight:return { printf("%d\n", uregs[R_RAX] == arg1); }
