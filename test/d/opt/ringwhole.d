/*
 * A ring that is not full keeps all.  What predicates, faults and other sizes
 * of records leave in it is told apart.
 * @needs: bpf
 * @engines: kernel process
 * @target: count
 * @stderr
 * @run: -q -b 4k -x bufpolicy=ring -s %f -c '%t 20'
 */
pid$target:a.out:made:entry /arg0 % 2/ { printf("%d ", arg0); }
pid$target:a.out:made:entry /arg0 % 5 == 4/
{
	printf("%s ", "str");
	trace(100 / (arg0 - 9));
}
pid$target:a.out:made:return /arg0 != 0/ { @ = count(); }
dtrace:::ERROR { printf("fault %d ", arg4); }
END { printa("%@d\n", @); }
