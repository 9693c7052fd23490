/*
 * Stacks and symbols as keys; one function under several names.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -c %t
 * @target: calls
 */
pid$target:a.out:work:entry,
pid$target:a.out:point:entry
{
	@k[ustack(1)] = count();
	@both[ustack(1), probefunc] = count();
	@sym[usym(uregs[R_RIP]), umod(uregs[R_RIP])] = count();
	@addr[uaddr(uregs[R_RIP]), ufunc(uregs[R_RIP])] = count();
}
END
{
	setopt("aggsortkey");
	printa("%k%@d\n", @k);
	printa("%k %s %@d\n", @both);
	printa("%s in %s: %@d\n", @sym);
	printa("%A %s\n", @addr);
	printa("%20A|%-30s|\n", @addr);
	setopt("stackindent", "2");
	printa(@k);
	printa(@sym);
}
