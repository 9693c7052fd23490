/*
 * -x defaultargs: absent arguments are 0 or empty.
 * @needs: bpf
 * @engines: kernel process
 * @status: 7
 * @run: -qs %f 7
 */
#pragma D option defaultargs

BEGIN { printf("%d %d [%s]\n", $1, $2, $$3); }
BEGIN /$2/ { printf("not here\n"); }
BEGIN { $2 ? printf("nor here\n") : 1; exit($1); }
