/*
 * Values at the ends of what 64 bits hold, and of what buckets cover.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	this->most = 0x7fffffffffffffff;
	this->least = -this->most - 1;
	@min = min(this->most); @min = min(this->least);
	@max = max(this->least); @max = max(this->most);
	@avg = avg(-7); @avg = avg(-8); @avg1 = avg(-1); @avg1 = avg(0);
	@avgbig = avg(this->most); @avgbig = avg(this->least);
	@sd = stddev(this->most); @sd = stddev(-this->most);
	@sd1 = stddev(5); @sdneg = stddev(-3); @sdneg = stddev(-5);
	@q = quantize(this->most); @q = quantize(this->least);
	@l = lquantize(this->least, -2147483648, -2147483640, 4);
	@lend = lquantize(10, 10, 12); @lend = lquantize(11, 10, 12);
	@lend = lquantize(12, 10, 12); @lend = lquantize(9, 10, 12);
	@lodd = lquantize(24, 0, 25, 10); @lodd = lquantize(25, 0, 25, 10);
	@ll = llquantize(0, 10, 1, 2, 10); @ll = llquantize(9, 10, 1, 2, 10);
	@ll = llquantize(10, 10, 1, 2, 10); @ll = llquantize(999, 10, 1, 2, 10);
	@ll = llquantize(1000, 10, 1, 2, 10); @ll = llquantize(-5, 10, 1, 2, 10);
	@llfine = llquantize(7, 2, 0, 3, 4); @llfine = llquantize(15, 2, 0, 3, 4);
	exit(0);
}
END { normalize(@min, 2); printa("%@d\n", @min); denormalize(@min); }
