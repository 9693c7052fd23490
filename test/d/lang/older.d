/*
 * Of several translators the newest one that may be seen.
 *
 * @needs: bpf
 * @engines: kernel process
 */
#pragma D option version=1.1.5
typedef struct o { string s; } o_t;
inline int new = 2;
#pragma D binding "1.2" new
#pragma D binding "1.2" translator
translator o_t < int I > { s = "1.2"; };
#pragma D binding "1.1" translator
translator o_t < int I > { s = "1.1"; };
BEGIN
{
	printf("%s\n", xlate <o_t>(1).s);
	exit(0);
}
