/*
 * Deep chains stay lazy: of these members only one makes code.
 *
 * @needs: bpf
 * @engines: kernel process
 */
typedef struct list { int l_val; struct list *l_next; int l_bad; } list_t;
translator list_t < int N > {
	l_val = N;
	l_next = xlate <list_t *>(N + 1);
	l_bad = 1 / (N - N);
};
inline list_t *from[int n] = xlate <list_t *>(n);
BEGIN
{
	x = 10;
	printf("%d\n", from(1)->l_next->l_next->l_next->l_val);
	printf("%d, then %d\n", from(x++)->l_next->l_val, x);
	exit(0);
}
