/*
 * Times (the tests run in UTC).
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	printf("[%Y]\n", (uint64_t)1090330000 * 1000000000);
	printf("[%Y] [%-25Y] [%25Y]\n", 0, 0, 0);
	printf("[%T]\n", 1090330000999999999);
	exit(0);
}
