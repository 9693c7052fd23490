/*
 * The process's number will stand behind the provider's name.
 * @run: -h -s %f -o /dev/stdout
 * @error: D_PROV_BADNAME 6
 */
provider app1 {
	probe start();
};
