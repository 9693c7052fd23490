/*
 * No promotion to int: the type of higher rank wins, which is the wider one,
 * or of two as wide the unsigned one.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 */
unsigned char C;
char c;
unsigned short S;
short h;
BEGIN
{
	C = 250;
	c = 10;
	printf("%d %d\n", C + c, c + c);
	c = -1;
	printf("%d\n", C + c);
	C = 1;
	c = -3;
	printf("%d %d\n", C + c, -C);
	S = 65535;
	c = 2;
	printf("%d %d\n", S + c, S + h);
	printf("%d %d %d %d\n", sizeof(c + c), sizeof(C + c), sizeof(h + C),
	    sizeof(c << 3));
	printf("%d %d\n", sizeof(-h), sizeof(c + 1));
	printf("%d\n", sizeof((_Bool)1 + (_Bool)1));
	exit(0);
}
