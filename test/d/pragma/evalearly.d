/*
 * It cannot go back.
 * @run: -qs %f -c /bin/true
 * @status: 1
 * @stderr
 */
#pragma D option evaltime=exec
BEGIN { exit(0); }
