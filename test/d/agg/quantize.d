/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	@ = quantize(0); @ = quantize(1); @ = quantize(2); @ = quantize(3);
	@ = quantize(100);
	exit(0);
}
