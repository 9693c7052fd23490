/*
 * exit() ends the trace while its target goes on; no more clauses run.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c '%t wait'
 * @status: 9
 */
int n;
pid$target:a.out:work:entry { printf("%d\n", n++); }
pid$target:a.out:work:entry /n == 3/ { exit(9); }
pid$target:a.out:work:return { printf("r %d\n", n); }
END { printf("end %d\n", n); }
