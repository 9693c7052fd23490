/*
 * A target that is stopped goes on when it is told to.
 * @engines: process
 * @target: calls
 * @run: -wqs %f -c '%t wait'
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
