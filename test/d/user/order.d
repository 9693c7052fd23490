/*
 * BEGIN before all, END after all, clauses in their order, one program.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c %t
 */
int n;
END { printf("end 1 %d\n", n); }
BEGIN { printf("begin 1\n"); n = 1; }
pid$target:a.out:point:entry { printf("%d first\n", n++); }
pid$target:a.out:point:entry /n == 2/ { printf("%d second\n", n++); }
pid$target:a.out:point:entry, pid$target:a.out:point:return
{
	printf("%d %s:%s:%s\n", n++, probeprov == "pid0" ? "?" : "pid",
	    probefunc, probename);
}
pid$target:a.out:point:entry /n == 2/ { printf("never\n"); }
BEGIN { printf("begin %d\n", n + 1); }
END { printf("end 2\n"); }
