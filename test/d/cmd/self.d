/*
 * Clauses of the consumer's own probes need neither a process nor privilege.
 * @run: -x engine=process -qs %f
 * @status: 4
 */
BEGIN { printf("%s %d %s\n", probename, pid == $pid, execname); self->n = 1; }
tick-10ms { @[self->n, probename] = count(); i++; }
tick-10ms /i == 3/ { exit(4); }
BEGIN { trace(*(int *)8); }
ERROR { printf("an error\n"); }
END { printf("%d\n", i); }
