/*
 * In BEGIN and END the process is dtrace itself; the name is among what it was
 * given.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN { printf("%d %d\n", strstr(execargs, "execargs_begin.d") != NULL, ipl); exit(0); }
END { printf("%d\n", strstr(execargs, "dtrace") != NULL); }
