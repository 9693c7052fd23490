/*
 * The options of jstack() and of ustack() are two.
 * @engines: process
 * @run: -qs %f -x jstackframes=2 -x ustackframes=1 -c %t
 * @target: calls
 */
pid$target:a.out:work:entry /n++ == 0/
{
	jstack();
	ustack();
	@[jstack()] = count();
	@u[ustack()] = count();
	exit(0);
}
