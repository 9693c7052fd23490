/*
 * A speculation that has ended can be used again, once the consumer has seen
 * its end; what went into it before is gone.
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c '%t wait'
 * @needs: bpf
 */
#pragma D option cleanrate=200hz
BEGIN { i = 0; s = 0; }
tick-50ms { i++; }
tick-50ms /i <= 5/ { s = speculation(); }
tick-50ms /i <= 5/ { speculate(s); printf("%d in %d\n", i, s); }
tick-50ms /i <= 5 && i % 2/ { commit(s); }
tick-50ms /i <= 5 && i % 2 == 0/ { discard(s); }
tick-50ms /i == 6/ { exit(0); }
