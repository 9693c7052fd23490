/*
 * stop() in the kernel engine: nothing more is called until the signal that
 * makes the process go on.
 * @needs: bpf
 * @engines: kernel
 * @run: -wqs %f -c "%t wait"
 * @target: calls
 */
int calls, seen;
pid$target:a.out:work:entry /calls++ == 2/ { stop(); }
tick-50ms /calls == 3/ { seen++; }
tick-50ms /seen == 3/
{
	printf("stopped in call %d\n", calls);
	system("kill -CONT %d", $target);
}
pid$target:a.out:work:entry /calls == 6/ { exit(0); }
END { printf("went on: %d\n", calls); }
