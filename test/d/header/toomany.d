/*
 * Twelve arguments are possible, and no more.
 * @run: -h -s %f -o /dev/stdout
 * @error: D_PROV_PRARGLEN 9
 */
provider app {
	probe twelve(int, int, int, int, int, int, int, int, int, int, int,
		     int);
	probe thirteen(int, int, int, int, int, int, int, int, int, int, int,
		       int, int);
};
