/*
 * A signal that a process sends is no fault; what others see of it is.
 * @needs: bpf
 * @run: -qs %f -c '/bin/sh -c "kill -SEGV $$"'
 */
proc:::fault /pid == $target/ { printf("fault\n"); }
proc:::signal-send
/pid == $target && args[2] == SIGSEGV/
{
	printf("%d\n", args[2]);
}
proc:::exit /pid == $target/ { printf("%d\n", args[0] == CLD_KILLED || args[0] == CLD_DUMPED); }
