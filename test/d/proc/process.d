/*
 * The process engine has none of them, and says so.
 * @needs: bpf
 * @run: -x engine=process -qs %f -c true
 * @status: 1
 * @stderr
 */
proc:::exit { exit(0); }
