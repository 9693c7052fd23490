/*
 * Faults end a clause, fire ERROR, and spare the other clauses.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c %t
 * @stderr
 */
pid$target:a.out:bad:entry { printf("%s\n", copyinstr(arg0)); }
pid$target:a.out:bad:entry { printf("%d\n", *(int *)copyin(arg0, 4)); }
pid$target:a.out:bad:entry { printf("still here\n"); }
pid$target:a.out:work:entry /arg0 < 2 && 10 / arg0/ { printf("%d\n", arg0); }
pid$target:a.out:work:entry /arg0 == 2/
{
	printf("lost\n");
	this->p = (char *)alloca(100000);
}
pid$target:a.out:work:entry /arg0 == 3/ { printf("%d\n", 7 % (arg0 - 3)); }
ERROR { printf("error %d %x %d\n", arg4, arg5, arg2); }
END { printf("end\n"); }
