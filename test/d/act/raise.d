/*
 * raise() reaches the process in which the probe fires, in both engines.
 * @needs: bpf
 * @engines: kernel process
 * @run: -wqs %f -c "%t signal"
 * @target: calls
 */
pid$target:a.out:stop_here:entry
{
	this->sig = 10;
	printf("at %s\n", probefunc);
	raise(this->sig);
}
pid$target:a.out:caught:entry { printf("caught %d\n", arg0); }
