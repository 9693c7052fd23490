/*
 * Arguments of a tracepoint: typed as the kernel passes them, the raw ones the
 * same, a negative int negative; sdt and rawtp have one probe each.
 * @needs: bpf
 * @run: -qs %f -c '/bin/sh -c "kill -CONT $$; exec /bin/false"'
 */
sdt:::signal_generate,
rawtp:::signal_generate
/pid == $target && args[2] == curthread && args[0] == 18/
{
	printf("%s %d %d %s %d %d\n", probeprov, args[0], arg0 == args[0],
	    args[2]->comm, args[1]->si_code, arg2 == (uintptr_t)curthread);
}

/* The name is still the old one. */
sdt:task::task_rename
/pid == $target/
{
	self->renamed = args[0] == curthread;
	printf("%s %d\n", stringof(args[1]), self->renamed);
}

sdt:sched::sched_process_exit
/pid == $target/
{
	printf("%s %d %s\n", args[0]->comm, args[0]->exit_code >> 8, probemod);
}
