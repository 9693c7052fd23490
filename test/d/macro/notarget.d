/*
 * Without -c and -p $target is 0: no process, so a script can ask whether there
 * is one.
 * @needs: bpf
 * @run: -qs %f
 */
BEGIN
/$target == 0 || pid == $target/
{
	printf("%d [%s]\n", $target, $$target);
}

syscall:::entry
/pid == $target/
{
	printf("never\n");
}

BEGIN
{
	exit(0);
}
