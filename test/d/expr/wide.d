/*
 * Operators compute in 64 bits whatever their type.  Values are cut where
 * they are kept: in variables, keys and records, and by casts to a narrower
 * type or one of other signedness.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 */
int i, k;
unsigned int u;
int a[int];
struct { int m; unsigned int b : 3; } s;
BEGIN
{
	i = 0x7fffffff;
	printf("%d %d\n", i * 4 / 4, (i + i) / 2);
	printf("%d %d\n", 1 << 40, (1 << 40) >> 38);
	x = 1 << 40;
	y = (long long)(1 << 40);
	printf("%d %d %d\n", x, y, (long long)(int)(1 << 40) == y);
	u = 5;
	printf("%d %d %d\n", (long)(u - 6), (u - 6) >> 40, (int)(u - 6));
	printf("%d %d\n", (char)(i + 1) + 1, (long)(unsigned char)(i + 2));
	printf("%d\n", (y = i * 4) / 4 == i);
	printf("%d\n", (k = i * 4) / 4);
	printf("%d\n", (k = i, k += i) / 2);
	a[i * 2] = 7;
	printf("%d %d\n", a[-2], a[(i * 2)]);
	s.m = i * 2;
	s.b = 15;
	printf("%d %d %d\n", s.m, s.b, (s.b = 9) + 1);
	printf("%d %d\n", strlen(lltostr(i * 4)), u == -1);
	z = i * 4 ? 1 : 0;
	printf("%d %d\n", (4 * (i + 1)) ? 1 : 0, 1 << 32 && 1);
	@sum = sum(1 << 40);
	@max = max(i * 2);
	@neg = min(u - 6);
	@keys[i * 2, u - 6] = count();
	exit(0);
}
