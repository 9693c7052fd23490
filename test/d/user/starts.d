/*
 * The first frame of an entry probe is the function's first instruction, also
 * where the kernel's breakpoint stands behind it; with the caller's from tables,
 * and without.
 * @needs: bpf
 * @engines: kernel process
 * @target: starts
 * @run: -qs %f -c %t
 */
pid$target:a.out:marked:entry,
pid$target:a.out:computes:entry
{
	ustack(1);
	@[ustack(1)] = count();
	@depth[probefunc, ustackdepth > 2, ufunc(ucaller)] = count();
}
