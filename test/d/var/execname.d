/*
 * A thread that has been given a name is called by it.
 * @needs: bpf
 * @engines: kernel process
 * @target: named
 * @run: -q -s %f -c %t
 */
pid$target:a.out:hello:entry
{
	printf("%s\n", execname);
}
