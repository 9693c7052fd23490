/*
 * A precision of 0 for a string is none; in printa() a key gives a width or a
 * precision; widths may be large.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	printf("[%.0s] [%.*s] [%.2s] [%5.0s]\n", "hello", 0, "hello", "hello", "abc");
	@w[10, 100] = sum(1);
	@w[-10, 100] = sum(1);
	printa("[%*d]\n", @w);
	@p[2, "abcdef"] = sum(7);
	printa("[%.*s] %@d\n", @p);
	printa("[%*.0s]\n", @p);
	@v[5] = sum(7);
	printa("[%*@d]\n", @v);
	exit(0);
}
