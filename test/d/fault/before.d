/*
 * ERROR runs at once: before later clauses of the firing that faulted.
 * @needs: bpf
 * @engines: kernel process
 * @status: 3
 * @stderr
 */
int x;
BEGIN { trace(*(int *)0x40); }
BEGIN { printf("%d ", x); exit(3); }
BEGIN { printf("never "); exit(4); }
ERROR { x = 7; printf("error "); }
