/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN, END
{
	@[probename, probefunc] = count();
}
BEGIN { exit(0); }
