/*
 * The option aggnonzero leaves out rows whose values are all 0.
 * @engines: kernel process
 * @run: -x aggnonzero -qs %f
 * @needs: bpf
 */
BEGIN
{
	@a["gone"] = sum(5);
	@a["gone"] = sum(-5);
	@a["left"] = sum(3);
	@b["gone"] = sum(0);
	@b["left"] = sum(0);
	@q["none"] = quantize(1);
	clear(@q);
	printa("%s %@d %@d\n", @a, @b);
	printa("%s %@d\n", @b);
	setopt("aggnonzero", "off");
	printa("%s %@d\n", @a);
	setopt("aggnonzero");
	exit(0);
}
