/*
 * Ten million columns.
 * @needs: bpf
 * @run: -qn 'BEGIN { freopen("/dev/null"); printf("%10000000d", 1); freopen(""); printf("done\n"); exit(0); }' -w
 */
