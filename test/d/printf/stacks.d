/*
 * %k, its width as indentation, and the stackindent option.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -c %t
 * @target: calls
 */
pid$target:a.out:work:entry /n++ == 0/
{
	printf("A%kB%5kC%-3kD\n", ustack(1), ustack(1), ustack(1));
	ustack(1);
	setopt("stackindent", "2");
	ustack(1);
	printf("%k", ustack(1));
	exit(0);
}
