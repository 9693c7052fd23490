/*
 * What a function returns, and the bytes that it was to write: by few ways and
 * by one for many, which serve other clauses.
 * @needs: bpf kprobe
 * @run: -qs %f -c '/bin/sh -c "echo hello > /dev/null"'
 */
fbt::vfs_write:entry
/pid == $target/
{
	self->in = 1;
	printf("%s %d\n", probename, args[2]);
}

fbt::vfs_write:return
/self->in/
{
	self->in = 0;
	printf("%s %d %d %d\n", probename, arg0, arg1, args[1]);
}
