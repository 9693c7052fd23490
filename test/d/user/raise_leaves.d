/*
 * What a firing has recorded is not lost when the signal that it sends ends the
 * process, and clauses behind raise() run first.
 * @engines: process
 * @target: calls
 * @run: -wqs %f -c '%t leaves'
 * @stderr
 */
pid$target:a.out:stop_here:entry
{
	raise(10);
	printf("raised in %s\n", probefunc);
	@[probefunc] = count();
}
pid$target:a.out:stop_here:entry { n++; printf("and after\n"); }
pid$target:a.out:leaves:entry { n++; printf("leaves with %d\n", (int)arg0); }
END { printf("%d\n", n); }
