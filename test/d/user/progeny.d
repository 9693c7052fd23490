/*
 * Whom the target descends from: us, our parent, itself, and not from others.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c %t
 */
pid$target:a.out:point:entry
/n++ == 0/
{
	printf("%d %d %d %d\n", progenyof($pid) != 0, progenyof($ppid) != 0,
	    progenyof($target) != 0, progenyof(99999999) != 0);
}
