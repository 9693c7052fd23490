/*
 * Speculative data is printed when it is committed, where the committing
 * firing is, and not at all when it is discarded; what is not speculative is
 * printed all the time.  A speculation that is not active takes no data.
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c '%t wait'
 * @needs: bpf
 */
#pragma D option nspec=3
BEGIN { i = 0; }
tick-20ms { i++; }
tick-20ms /i == 1/
{
	a = speculation();
	b = speculation();
	c = speculation();
	printf("ids %d %d %d\n", a, b, c);
}
tick-20ms /i <= 3/ { speculate(a); printf("a %d\n", i); n = i; }
tick-20ms /i <= 3/ { speculate(b); printf("b %d\n", i); }
tick-20ms /i <= 3/ { speculate(c); trace("never"); }
tick-20ms /i <= 3/ { speculate(0); trace("never"); n = -1; }
tick-20ms /i <= 3/ { speculate(-1); trace("never"); n = -1; }
tick-20ms /i <= 3/ { speculate(4); trace("never"); n = -1; }
tick-20ms /i == 3/ { printf("three %d\n", n); }
tick-20ms /i == 4/ { commit(a); discard(b); discard(77); }
tick-20ms /i == 4/ { commit(0); }
tick-20ms /i == 5/ { speculate(a); trace("too late"); }
tick-20ms /i == 5/ { commit(a); commit_again = 1; }
tick-20ms /i == 5/ { printf("five\n"); }
tick-20ms /i == 6/ { commit(b); }
tick-20ms /i == 6/ { exit(0); }
END { printf("end\n"); }
