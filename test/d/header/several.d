/*
 * Nobody could say what the file should be called.
 * @run: -h -s %f -s %f
 * @status: 1
 * @stderr
 */
provider app {
	probe start();
};
