/*
 * Faults in ERROR are counted, exactly; so are speculations that are not to be
 * had.  Each notice begins with its tag.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 * @run: -q -x droptags -s %f
 */
BEGIN { self->a = speculation(); commit(self->a); self->a = speculation(); }
BEGIN { trace(1 / (pid - pid)); }
BEGIN { @[1 % (pid - pid)] = count(); }
BEGIN { exit(0); }
dtrace:::ERROR { printf("%d %d %d;", arg2, arg4, arg5); }
dtrace:::ERROR { x = 1 / (pid - pid); }
