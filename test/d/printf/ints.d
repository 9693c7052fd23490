/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42, 42);
	printf("[%x] [%X] [%#x] [%o] [%#o] [%u]\n", 255, 255, 255, 8, 8, 4000000000);
	printf("[%*d] [%.4d] [%c] [%%]\n", 6, 7, 7, 'A');
	printf("[%s] [%10s] [%-10s] [%.3s]\n", "abc", "abc", "abc", "abcdef");
	printf("[%p] [%lld] [%hhd]\n", (void *)0x1234, 5, 6);
	exit(0);
}
