/*
 * agghist and aggpack; a format, or several aggregations, are as ever.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -x agghist -x aggpack -s %f
 */
BEGIN
{
	@a["bash"] = sum(10); @a["cat"] = sum(30); @a["ls"] = sum(5);
	@a["none"] = sum(0);
	@mixed["x"] = sum(-10); @mixed["y"] = sum(10);
	@neg["x"] = sum(-3); @neg["y"] = sum(-1);
	@two["a", 1] = count(); @two["b", -2] = count();
	@q["a"] = quantize(1); @q["a"] = quantize(2); @q["a"] = quantize(2);
	@q["b"] = quantize(100); @q["b"] = quantize(0);
	@l["z", 1] = lquantize(5, 0, 30, 10);
	@l["y", 2] = lquantize(-1, 0, 30, 10);
	@l["y", 2] = lquantize(99, 0, 30, 10);
	@less["n"] = quantize(1, -1); @less["n"] = quantize(4, 3);
	@cleared["n"] = quantize(1);
	@avg["x"] = avg(10); @avg["x"] = avg(20);
	@long["a name that is longer than its column"] = count();
	exit(0);
}
END
{
	clear(@cleared);
	printa(@a);
	printa("%s %@d\n", @a);
	printa(@a, @neg);
	normalize(@neg, 2);
	setopt("aggzoom");
	printa(@a);
	setopt("aggpack", "off");
	printa(@less);
}
