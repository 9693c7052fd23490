/*
 * Bars of counts below zero, on one side and on both; rounding; zoom.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	@neg = quantize(1, -1); @neg = quantize(2, -3);
	@mix = quantize(-1, -1); @mix = quantize(0, 2); @mix = quantize(4, 1);
	@lneg = lquantize(-25, -20, 20, 10, -5);
	@lneg = lquantize(25, -20, 20, 10, -3);
	@lmix = lquantize(5, 0, 30, 10, -5); @lmix = lquantize(35, 0, 30, 10, 5);
	@none = quantize(7, 3); @none = quantize(7, -3);
	@third = quantize(1); @third = quantize(2); @third = quantize(4);
	@small = quantize(1); @small = quantize(2, 79);
	@smaller = quantize(1); @smaller = quantize(2, 100);
	@huge = quantize(1, 0x7fffffffffffffff);
	@huge = quantize(2, 0x7fffffffffffffff);
	exit(0);
}
END
{
	printa(@neg); printa(@mix); printa(@lneg); printa(@lmix);
	printa(@none); printa(@third); printa(@small); printa(@smaller);
	printa(@huge);
	setopt("aggzoom");
	printa(@third); printa(@mix);
	normalize(@small, 10);
	printa(@small);
}
