/*
 * The linker's stubs have the names of what they call.
 *
 * @needs: bpf
 * @engines: kernel process
 * @target: plt
 * @run: -qs %f -c %t
 */
pid$target:a.out:here:entry
{
	usym(arg0);
	printf(" ");
	usym(arg0 + 3);
	printf(" ");
	usym(arg1);
	printf(" ");
	uaddr(arg1 + 2);
	printf(" ");
	umod(arg1);
	printf(" ");
	usym(arg2);
	printf("\n");
	@[usym(arg0)] = count();
}

END
{
	printa("%A %@d\n", @);
}
