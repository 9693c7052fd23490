/*
 * @needs: bpf
 */

BEGIN, END
{
	@[probename, probefunc] = count();
}
BEGIN { exit(0); }
