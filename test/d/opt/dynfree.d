/*
 * What holds 0 takes no room: many keys in the space of a few.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 * @run: -x dynvarsize=1k -qs %f -c 'sleep 30'
 */
int n;
struct pair { int a, b; } one, of[int];

tick-1ms
/n < 100/
{
	n++;
	one.a = n;
	a[n] = n;
	of[n] = one;
	a[n + 1000] = 0;
	x = a[n + 2000] + a[n];
	a[n] = 0;
	of[n] = 0;
	self->t = n;
	self->t = 0;
}

tick-1ms
/n == 100/
{
	printf("%d\n", x);
	exit(0);
}
