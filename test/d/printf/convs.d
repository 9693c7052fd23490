/*
 * Every conversion with the values it is for.
 * @needs: bpf
 * @engines: kernel process
 */
struct { double d; float f; } x;
int wide[4];
uint32_t ip4;
struct { unsigned char b[16]; } ip6;
struct { char full[4]; char after; } nonul;

BEGIN
{
	printf("[%d][%i][%u][%x][%X][%o][%c]\n", -1, -1, -1, -1, -1, -1, 65);
	printf("[%d][%u][%x]\n", (long)-1, (long)-1, (long)-1);
	printf("[%d][%u][%x][%o]\n", (char)-1, (char)-1, (char)-1, (char)-1);
	printf("[%d][%d]\n", (unsigned char)200, (unsigned)-1);
	printf("[%hhd][%hd][%ld][%lld][%Lx]\n", 300, 70000, 1, 2, 3);
	printf("[%a][%A][%20a][%-20A][%.3a]\n", 0x10, 0x10, 0x10, 0x10, 0x12345);
	printf("[%p][%#p][%20p][%-20p][%?p][%?x]\n",
	    (void *)0xffffffff81000000, 0xff, 0x1, (char *)0x2, 1, 2);
	printf("[%S][%.3S][%10S][%-6S]\n", "a\tb\001\\", "a\tb", "\n", "\r");
	printf("[%C][%C][%C][%C][%3C]\n", 9, 200, 0, 'x', 10);
	printf("[%T]\n[%40T]\n[%-40T]\n", 1090330000999999999, 0, 0);
	printf("[%Y][%25Y][%-25Y][%.4Y]\n", 1090330000999999999, 0, 0, 0);
	wide[0] = 'h'; wide[1] = 0xe9; wide[2] = 0x20ac;
	printf("[%ws][%wc][%8ws][%-5wc][%ws]\n", wide, 0xe9, wide, 'x', "text");
	printf("[%e][%f][%g][%E][%G][%10.2f][%-8.1f][%+f]\n",
	    x.d, x.f, x.d, x.d, x.d, x.d, x.f, x.d);
	printf("[%P][%7P][%-7P]\n", htons(65535), htons(65534), htons(65533));
	nonul.full[0] = 'a'; nonul.full[1] = 'b';
	nonul.full[2] = 'c'; nonul.full[3] = 'd'; nonul.after = 'e';
	printf("[%s][%6s][%-6s][%.2s]\n", nonul.full, nonul.full, nonul.full,
	    nonul.full);
	printf("[%s][%20s][%-20s][%a][%A]\n", usym(0x10), sym(0x20), mod(0x30),
	    func(0x40), uaddr(0x50));
	printf("100%% [%%] %d%%\n", 5);
	exit(0);
}
