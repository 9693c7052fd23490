/*
 * The locked instruction, of all that the object has; its registers.
 * @engines: process
 * @target: kinds
 * @run: -qs %f -c %t
 */
instr$target:a.out::lock-*
/probefunc == "mixed" && probeprov == strjoin("instr", lltostr($target))/
{
	@[probefunc, probename, uregs[R_RIP] != 0] = count();
	@rbx = sum(uregs[R_RBX]);
}

END
{
	printa("%s %s %d %@d\n", @);
	printa("%@d\n", @rbx);
}
