/*
 * Flags, widths and precisions in combination; `*` of both signs.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	printf("[%+d][% d][%+ d][%05d][%-05d][%+05d][%+-5d][% 5d]\n",
	    5, 5, 5, 5, 5, 5, 5, 5);
	printf("[%+d][% d][%05d][%-5d][%+u][% x]\n", -5, -5, -5, -5, 5, 255);
	printf("[%x][%#x][%08x][%#08x][%-#8x][%#X][%#.4x][%#o][%#x]\n",
	    255, 255, 255, 255, 255, 255, 255, 8, 0);
	printf("[%10.5d][%-10.5d][%.0d][%5.0d][%.d][%010.5d]\n",
	    42, 42, 0, 0, 0, 42);
	printf("[%*.*d][%-*d][%.*s][%*s]\n", 8, 3, 5, 4, 7, 2, "abc", 5, "x");
	printf("[%*d][%.*d][%.*s]\n", -5, 7, -1, 8, -3, "abc");
	printf("[%*d][%*s]\n", 0, 7, 0, "abc");
	printf("[%'d][%'u][%'15d][%-'15d][%'d][%'d][%'d]\n", 1234567, 1234567,
	    1234567, 1234567, -1234567, 999, 1000);
	printf("[%'x][%'015d]\n", 1234567, 1234567);
	printf("[%3c][%-3c][%1c]\n", 'a', 'b', 'c');
	printf("[%10s][%-10s][%.0s][%5.1s]\n", "text", "text", "text", "text");
	printf("[%2s][%2d]\n", "wider", 12345);
	exit(0);
}
