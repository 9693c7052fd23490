/*
 * printa() with formats: joined rows, values in the middle and repeated, keys
 * left over, widths on both sides of @, every conversion of a value.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	@a["x", 1] = count(); @a["x", 1] = count(); @a["y", 2] = count();
	@b["x", 1] = sum(10); @b["z", 3] = sum(30);
	@q["x", 1] = quantize(3);
	@c["k"] = avg(-7); @c["k"] = avg(-2);
	@y[sym(0x10), mod(0x20)] = count();
	@u[usym(0x10), uaddr(0x20)] = sum(3);
	@n = sum(-5); @m = max(3);
	@big = sum(-1234567);
	@t[walltimestamp - walltimestamp + 1090330000000000000] = count();
	@h[(short)-1, (char)-2, (uint8_t)200, (void *)0x10, 'c'] = count();

	printa("%s/%d: %@d of %@5d|%-@5d|\n", @a, @b, @a);
	printa("%@d %s\n", @a);
	printa("%@d\n", @a);
	printa("nothing\n", @a);
	printa("%-10s|%5d|%@d|%@x|%@#x|%@o|%@u|%@p|%@i\n", @a);
	printa("%'@d|%15@d|%-15@d|%@+d|%@.9d|%@015d|\n", @big);
	printa(@a, @b, @q);
	printa("%s %@d %@d\n", @a, @q);
	printa("%s: %@d%% (%@+d)\n", @c);
	printa("%a %A %@d\n", @u);
	printa("%s|%20s|%@d\n", @y);
	printa("%@d %@d\n", @n, @m);
	printa(@n, @m);
	printa("%Y %@d\n", @t);
	printa("%d %d %d %p %c %@d\n", @h);
	printa("%x %o %u %a %d\n", @h);
	exit(0);
}
