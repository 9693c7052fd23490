/*
 * A probe gives numbers and pointers.
 * @run: -h -s %f -o /dev/stdout
 * @status: 1
 * @stderr
 */
struct res {
	int id;
};

provider app {
	probe start(int n, struct res r);
};
