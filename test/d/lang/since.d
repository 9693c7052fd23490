/*
 * What came with a later version of D is not seen: the program may use the
 * names, and the D library goes on with what it needs.
 *
 * @needs: bpf
 * @engines: kernel process
 */
#pragma D option version=1.0
int strstr;
string substr[int];
BEGIN
{
	strstr = 3;
	index = strstr + 1;
	substr[1] = strjoin("a", "b");
	ucaller = 7;
	printf("%d %d %s %d\n", strstr, index, substr[1], ucaller);
	exit(0);
}
