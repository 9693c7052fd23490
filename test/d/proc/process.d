/*
 * The process engine has those that a tree shows of itself, not this one, and says so.
 * @needs: bpf
 * @run: -x engine=process -qs %f -c true
 * @status: 1
 * @stderr
 */
proc:::create { exit(0); }
