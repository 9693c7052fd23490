/*
 * A header or a list.
 * @run: -h -l -s %f
 * @status: 2
 */
provider app {
	probe start();
};
