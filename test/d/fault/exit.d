/*
 * exit() in ERROR ends the firing that faulted: later clauses run no more, and
 * its status counts.
 * @needs: bpf
 * @engines: kernel process
 * @status: 7
 * @stderr
 */
int x;
BEGIN { trace(*(int *)0x40); }
BEGIN { printf("ran "); exit(5); }
ERROR { printf("err %d ", x); exit(7); }
END { printf("end"); }
