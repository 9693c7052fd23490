/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	@ = lquantize(-5, 0, 30, 10); @ = lquantize(15, 0, 30, 10);
	@ = lquantize(16, 0, 30, 10); @ = lquantize(99, 0, 30, 10);
	exit(0);
}
