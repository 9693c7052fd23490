/*
 * A probe gives no functions.
 * @run: -h -s %f -o /dev/stdout
 * @status: 1
 * @stderr
 */
provider app {
	probe start(int (*f)(int));
};
