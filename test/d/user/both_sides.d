/*
 * A program's function and the kernel beneath it, in one program: one set of
 * variables of the thread, and one output in the order in which things happened.
 * @needs: bpf
 * @run: -qs %f -c '/bin/sh -c "echo a; echo bcd"'
 */
pid$target:libc.so.6:write:entry
{
	self->bytes = arg2;
	printf("write of %d\n", self->bytes);
}

sdt:raw_syscalls::sys_enter
/self->bytes && arg1 == 1/
{
	printf("  the kernel, for %d\n", self->bytes);
	@[probename] = sum(self->bytes);
}

pid$target:libc.so.6:write:return
/self->bytes/
{
	printf("%d written\n", arg1);
	self->bytes = 0;
}
