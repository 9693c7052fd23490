/*
 * @needs: bpf
 * @engines: kernel process
 */

string names[int];
BEGIN
{
	a["one", 1] = 11;
	a["two", 2] = 22;
	printf("%d %d %d\n", a["one", 1], a["two", 2], a["one", 2]);
	a["one", 1]++;
	a["two", 2] = 0;
	printf("%d %d\n", a["one", 1], a["two", 2]);
	names[5] = "five";
	printf("[%s]\n", names[5]);
	self->b[3] = 33;
	printf("%d %d\n", self->b[3], self->b[4]);
	exit(0);
}
