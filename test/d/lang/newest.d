/*
 * Without a version every name is seen; of several translators the newest.
 *
 * @needs: bpf
 * @engines: kernel process
 */
typedef struct o { string s; } o_t;
inline int new = 2;
#pragma D binding "1.2" new
#pragma D binding "1.2" translator
translator o_t < int I > { s = "1.2"; };
#pragma D binding "1.1" translator
translator o_t < int I > { s = "1.1"; };
BEGIN
{
	printf("%d %s\n", new, xlate <o_t>(1).s);
	exit(0);
}
