/*
 * @needs: bpf
 * @engines: kernel process
 */

inline int LIMIT = 4 * 10 + 2;
inline string WHO = "me";
inline int DEBUG = 0;
BEGIN
{
	printf("%d %s\n", LIMIT, WHO);
	DEBUG ? printf("debugging\n") : 1;
	DEBUG == 0 ? printf("not debugging\n") : 1;
	exit(0);
}
