/*
 * Options from within, a line control, and what is ignored.
 * @needs: bpf
 * @engines: kernel process
 * @run: -s %f
 */
#pragma D option quiet
#pragma D option strsize=16
#pragma D option aggsortrev
#pragma other thing
#ident "x"
BEGIN
{
	x = "0123456789abcdefghij";
	printf("%s %d\n", x, strlen(x));
	@["a"] = sum(1);
	@["b"] = sum(2);
	exit(0);
}
