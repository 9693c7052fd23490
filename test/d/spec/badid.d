/*
 * 0 is the speculation that there was none left for; other ids that are no
 * speculation's are faults.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 */
BEGIN { commit(1000); }
BEGIN { discard(-1); }
BEGIN { speculate(2); printf("never"); }
BEGIN { commit(0); }
BEGIN { discard(0); }
BEGIN { speculate(0); printf("never"); }
BEGIN { speculate(1); printf("never"); }
BEGIN { printf("end\n"); exit(0); }
