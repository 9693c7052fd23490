/*
 * A CPU that is not there.
 * @needs: bpf
 * @status: 1
 * @stderr
 * @run: -q -x cpu=99999 -s %f
 */
BEGIN { exit(0); }
