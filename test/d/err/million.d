/*
 * What the verifier finds too large is one line, without its log.
 * @needs: bpf
 * @run: -C -x engine=kernel -qs %f
 * @status: 1
 * @stderr
 * @timeout: 120
 */
#define X1 @[x, probename] = sum(x++);
#define X8 X1 X1 X1 X1 X1 X1 X1 X1
#define X64 X8 X8 X8 X8 X8 X8 X8 X8
#define X512 X64 X64 X64 X64 X64 X64 X64 X64
#define X4096 X512 X512 X512 X512 X512 X512 X512 X512
BEGIN { x = 1; }
BEGIN
{
	X4096
	X4096
	exit(0);
}
