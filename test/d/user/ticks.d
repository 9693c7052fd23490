/*
 * tick, profile and functions share variables.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c '%t wait'
 */
int n, works, samples;
pid$target:a.out:work:entry { works++; }
tick-10ms /n < 3/ { printf("tick %d\n", ++n); }
tick-20ms /n == 3 && works > 3/ { exit(0); }
END { printf("%d %d\n", n, works > 3); }
