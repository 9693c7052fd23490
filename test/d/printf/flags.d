/*
 * Conversions with flags, widths and precisions.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN {
	printf("[%5d][%-5d][%05d][%+d][% d]\n", 42, 42, 42, 42, 42);
	printf("[%x][%#x][%X][%o][%#o][%u]\n", 255, 255, 255, 8, 8, -1);
	printf("[%5s][%-5s][%.2s][%5.1s][%*s][%.*s]\n", "abc", "abc", "abc", "abc", 6, "abc", 2, "abc");
	printf("[%c][%c][%5c][%-3c]\n", 'a', 65, 'b', 'c');
	printf("[%p][%p][%?x]\n", 0x1234, 0, 0x1234);
	printf("[%ld][%lld][%hd][%hhd][%lx]\n", 1, -1, 70000, 300, 255);
	printf("[%i][%d][%u]\n", (char)-1, (uint32_t)-1, (char)-1);
	printf("[%d][%x][%o]\n", (short)-1, (short)-1, (int)-1);
	printf("[%%]\n");
	printf("[%S][%s]\n", "a\nb", "a\nb");
	printf("[%C][%C]\n", 10, 'x');
	printf("[%-10d][%-10x]|\n", 3, 255);
	printf("[%.5d][%8.3d][%.3x]\n", 42, 42, 10);
	printf("[%-25Y]\n", 0);
	printf("[%s]\n", 5 > 3 ? "yes" : "no");
	printf("no args\n");
	printf("[%wc][%ws]\n", 'a', "w");
	printf("[%#p][%#o][%#X]\n", 10, 0, 255);
	printf("[%-*s|%*d]\n", 6, "ab", 5, 7);
	printf("[%*d]\n", -5, 7);
	printf("[%#s][%#S][%#20s][%#-16s][%#s]\n", "St13runtime_error", "i",
	    "*N12_GLOBAL__N_13fooE", "St9exception", "no type");
	printf("%s %s\n", probename, probefunc);
	exit(0);
}
