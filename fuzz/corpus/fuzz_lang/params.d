/*
 * Inlines with parameters: used as arrays and as functions.  An argument that
 * does something is evaluated once, even if it is used never or often.
 *
 * @needs: bpf
 * @engines: kernel process
 */
inline int add[int a, int b] = a + b;
inline int twice[int a] = a + a;
inline int first[int a, int b] = a;
inline uint8_t low[int a] = a;
inline string hello[string s] = strjoin("hello ", s);
inline int larger[int a, int b] = a > b ? a : b;
inline int deref[int *p] = *p;
inline int K = 3;
inline int K2[int k] = K * k;

int arr[K + 1];
int len[twice[4]];

BEGIN
{
	x = 5;
	p = (int *)alloca(8);
	p[1] = 77;
	printf("%d %d %s\n", add[1, 2], add(x, 10), hello["you"]);
	printf("%d, then %d\n", twice[x++], x);
	printf("%d, then %d\n", twice(twice(x++)), x);
	printf("%d, then %d\n", add(x++, x++), x);
	printf("%d, then %d\n", first(1, x++), x);
	printf("%d %d\n", larger(3, 4), larger(twice(3), 4));
	printf("%d %d\n", low(0x1234), low[-1]);
	printf("%d\n", deref(p + 1));
	printf("%d %d\n", sizeof(arr), sizeof(len));
	exit(K2(0));
}
