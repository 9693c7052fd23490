/*
 * The options of order, one after the other and together.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	@a["x", 3] = sum(1); @a["y", 1] = sum(2); @a["z", 2] = sum(2);
	@a["w", 2] = sum(-5); @a["v", -1] = sum(1);
	@b["x", 3] = sum(9); @b["y", 1] = sum(7); @b["u", 2] = sum(8);
	@q["lo"] = quantize(1); @q["hi"] = quantize(1000);
	@q["neg"] = quantize(-1000); @q["zero"] = quantize(0);
	@q["two"] = quantize(0); @q["two"] = quantize(0);
	@av["many"] = avg(1); @av["many"] = avg(1); @av["few"] = avg(5);
	exit(0);
}
END
{
	printa("value %s %d %@d\n", @a);
	printa("joined %s %d %@d %@d\n", @a, @b);
	printa("weight %s\n", @q);
	printa("average %s\n", @av);
	setopt("aggsortpos", "1");
	printa("by the second %s %d %@d %@d\n", @a, @b);
	setopt("aggsortrev");
	printa("turned round %s %d %@d %@d\n", @a, @b);
	printa("one alone %s %d %@d\n", @a);
	setopt("aggsortrev", "off"); setopt("aggsortpos", "7");
	printa("no such %s %d %@d %@d\n", @a, @b);
	setopt("aggsortkey");
	printa("key %s %d %@d\n", @a);
	setopt("aggsortkeypos", "1");
	printa("second key %s %d %@d\n", @a);
	setopt("aggsortrev");
	printa("turned round %s %d %@d\n", @a);
	setopt("aggsortkeypos", "5");
	printa("no such %s %d %@d\n", @a);
}
