/*
 * speculate() alone keeps that the probe fired.  commit() and discard() print
 * nothing of their own.
 * @needs: bpf
 * @engines: kernel process
 * @run: -s %f
 */
BEGIN { s = speculation(); }
BEGIN { speculate(s); }
BEGIN { speculate(s); trace(17); }
BEGIN { commit(s); }
BEGIN { exit(0); }
