/*
 * Probes that differ in D, and not in C.
 * @run: -h -s %f -o /dev/stdout
 * @status: 1
 * @stderr
 */
provider app {
	probe query__start();
	probe query_start();
};
