/*
 * Every aggregation, keys of every kind.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c %t
 */
pid$target:a.out:work:entry
{
	@c = count();
	@s["sum"] = sum(arg0);
	@s["neg"] = sum(-(int)arg0);
	@a = avg(arg0);
	@lo = min(arg0 - 3);
	@hi = max(arg0 * 5);
	@sd = stddev(arg0);
	@q[arg0 % 2] = quantize(arg0);
	@l = lquantize(arg0, 2, 16, 4);
	@ll = llquantize(arg0 * 10, 10, 0, 3, 10);
	@k[probefunc, probename, (char)arg0 & 3] = count();
}
pid$target:a.out:name:entry { @n[copyinstr(arg0)] = count(); }
pid$target:a.out:name:return { @m[copyinstr(arg1)] = sum(100); }
END
{
	printa("c %@d\n", @c);
	printa("a %@d\n", @a);
	printa("%@d lowest\n", @lo);
	printa("%10@u highest\n", @hi);
	printa("%@d\n", @sd);
	printa("%-8s|%@8d|\n", @s);
	printa("%s:%s %d = %@x\n", @k);
	printa(@n);
	printa(@m);
	printa("%d: %@d\n", @q);
	printa(@l);
	printa(@ll);
}
