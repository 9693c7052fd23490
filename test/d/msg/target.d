/*
 * Without -c and -p, a clause for $target alone never runs: that is said.
 * @needs: bpf
 * @run: -qs %f
 * @stderr
 */
syscall::getppid:entry /pid == $target/ { trace("never"); }
BEGIN { exit(0); }
