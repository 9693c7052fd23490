/*
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -x stackindent=3 -s %f -c %t
 * @target: calls
 */
pid$target:a.out:work:entry /n++ == 0/
{
	ustack(1);
	@[ustack(1)] = count();
	exit(0);
}
