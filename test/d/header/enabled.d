/*
 * APP_QUERY_ENABLED() would be two things.
 * @run: -h -s %f -o /dev/stdout
 * @status: 1
 * @stderr
 */
provider app {
	probe query_enabled();
	probe query();
};
