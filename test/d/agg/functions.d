/*
 * Every function, at its bounds and with increments; cleared keys stay.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN {
	@q = quantize(0); @q = quantize(-1); @q = quantize(-5); @q = quantize(3, 4);
	@c["a"] = count(); @c["b"] = count(); @c["a"] = count();
	@s["a", 1] = sum(-5); @s["b", 2] = sum(7); @s["a", 1] = sum(-5);
	@av = avg(3); @av = avg(4); @av2 = avg(-3); @av2 = avg(-4);
	@mi = min(5); @mi = min(-2); @ma = max(-5); @ma = max(-2);
	@sd = stddev(2); @sd = stddev(4); @sd = stddev(4); @sd = stddev(4); @sd = stddev(5); @sd = stddev(5); @sd = stddev(7); @sd = stddev(9);
	@sdn = stddev(-1000000000000); @sdn = stddev(1000000000000);
	@qn = quantize(-9, 2);
	@l = lquantize(-1, 0, 10, 2); @l = lquantize(5, 0, 10, 2, 3); @l = lquantize(10, 0, 10, 2); @l = lquantize(100, 0, 10, 2);
	@ln = lquantize(-15, -20, 20, 10);
	@ll = llquantize(5, 10, 0, 3, 20); @ll = llquantize(0, 10, 0, 3, 20); @ll = llquantize(999, 10, 0, 3, 20); @ll = llquantize(100000, 10, 0, 3, 20); @ll = llquantize(55, 10, 0, 3, 20, 7);
	@never["x"] = count();
	@big = sum(0x7fffffffffffffff); @big = sum(1);
	clear(@never);
	exit(0);
}
