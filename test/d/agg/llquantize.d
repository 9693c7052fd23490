/*
 * llquantize(): zero has its own row, negative numbers are mirrored; with a
 * lowest magnitude above 0 the row in the middle is all that is nearer to 0.
 * Sums of nothing have three rows.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	@zero = llquantize(0, 10, 0, 3, 10);
	@both = llquantize(-7, 10, 0, 3, 10);
	@both = llquantize(7, 10, 0, 3, 10, 2);
	@both = llquantize(-7, 10, 0, 3, 10);
	@ends = llquantize(0x7fffffffffffffff, 2, 0, 2, 2);
	@ends = llquantize(-0x7fffffffffffffff - 1, 2, 0, 2, 2);
	@ends = llquantize(-7, 2, 0, 2, 2);
	@near = llquantize(99, 10, 2, 3, 10);
	@near = llquantize(-99, 10, 2, 3, 10);
	@near = llquantize(-100, 10, 2, 3, 10);
	@near = llquantize(-199, 10, 2, 3, 10);
	@near = llquantize(-200, 10, 2, 3, 10);
	@none = llquantize(5, 10, 0, 3, 10, 0);
	@lnone = lquantize(1, 0, 10, 1, 0);
	@lfew = lquantize(1, 0, 1, 1, 0);
	@qnone = quantize(1, 0);
	@a[1] = lquantize(3, 0, 10, 5);
	@b[2] = count();
	printa(@zero); printa(@both); printa(@ends); printa(@near);
	printa(@none); printa(@lnone); printa(@lfew); printa(@qnone);
	printa(@a, @b);
	exit(0);
}
