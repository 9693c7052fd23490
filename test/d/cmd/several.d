/*
 * Several programs, several probes for a clause, numbers of probes.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -n 'BEGIN{trace(1)}' -n '1{trace(2)}' -s %f -n 'END{printf("end\n")}'
 * @status: 5
 */
BEGIN, END { printf("%s:%s:%s:%s\n", probeprov, probemod, probefunc, probename); }
dtrace:::BEGIN { exit(5); }
