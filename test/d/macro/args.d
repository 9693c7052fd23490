/*
 * Macro arguments as number, text, type, member and probe.
 * @needs: bpf
 * @run: -qs %f 0x10 "'q s'" 'struct task_struct *' pid BEGIN '"str"'
 */
dtrace:::$5
{
	printf("%d %d\n", $1, $1 + 1);
	printf("%s|%s|%s\n", $$1, $$4, $$5);
	printf("%d\n", (($3)curthread)->$4 == curthread->pid);
	printf("%s %d\n", $6, strlen($6));
	printf("%s\n", $$2);
	printf("%s\n", basename($$0));
	printf("%d %d\n", $pid > 1, $ppid > 0);
	exit(0);
}
