/*
 * aggpack with blocks; what is no histogram keeps to ASCII.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -x aggpack -x encoding=utf8 -s %f
 */
BEGIN
{
	@q["few"] = quantize(1); @q["few"] = quantize(2, 2);
	@q["few"] = quantize(4, 6); @q["one"] = quantize(100);
	@q["neg"] = quantize(8, -1); @q["neg"] = quantize(1, 3);
	@n["plain"] = sum(10);
	exit(0);
}
