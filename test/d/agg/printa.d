/*
 * Forms of printa().
 * @needs: bpf
 */
BEGIN {
	@a["x", 1] = count(); @a["x", 1] = count(); @a["y", 2] = count();
	@b["x", 1] = sum(10); @b["z", 3] = sum(30);
	@n = count();
	@av["k"] = avg(10); @sd["k"] = stddev(10);
	@q["k"] = quantize(3);
	@v[(char)1, (short)2, 3, (long)4, "s", curthread == NULL] = max(9);
}
BEGIN {
	printa(@a);
	printa("%s %d %@d\n", @a);
	printa("%5s|%-5d|%@5d|%-@8u|\n", @a);
	printa("%@x %s\n", @a);
	printa("%s %d %@d %@d\n", @a, @b);
	printa(@a, @b);
	printa("n=%@d %@d\n", @n);
	printa(@n);
	printa("avg %s %@d sd\n", @av);
	printa("%s %@d %@d\n", @av, @sd);
	printa("%s %@d", @q);
	printa(@v);
	printa("%15@d %s\n", @a);
	normalize(@b, 10); printa("%s %d %@d\n", @b); denormalize(@b);printa("%s %@d\n", @b);
	exit(0);
}
