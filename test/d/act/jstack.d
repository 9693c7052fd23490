/*
 * jstack() is ustack() with a depth of its own; no process has helpers, so
 * room for what they say stays empty.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -x jstackframes=1 -c %t
 * @target: calls
 */
pid$target:a.out:work:entry /n++ == 0/
{
	jstack();
	jstack(1);
	jstack(1, 500);
	ustack(1, 100);
	printf("%k", jstack(1));
	@[jstack()] = count();
	exit(0);
}
