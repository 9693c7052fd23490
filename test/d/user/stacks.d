/*
 * Stacks with symbols: the same function by each way to it.
 * @engines: process
 * @target: calls
 * @run: -qs %f -c %t
 */
pid$target:a.out:depth:entry /arg0 == 0/
{
	ustack(4);
	printf("%A\n", ucaller);
	@[ustack(2)] = count();
	@f[ufunc(ucaller), umod(ucaller)] = count();
	printf("%d\n", ustackdepth > 4);
}
pid$target:a.out:point:return { ustack(1); }
END { printa("%k%@d\n", @); printa("%A %A %@d\n", @f); }
