/*
 * Who failed to open what, and why: told by system calls that belong together.
 * @needs: bpf
 * @run: -qs %f -c "sh -c 'cat /no/such/file 2>/dev/null; true'"
 */
syscall::openat:entry
/progenyof($target)/
{
	self->path = arg1;
}

syscall::openat:return
/self->path && errno != 0 && copyinstr(self->path) == "/no/such/file"/
{
	printf("%s: %s: errno %d (%s), result %d\n", execname,
	       copyinstr(self->path), errno,
	       errno == ENOENT ? "ENOENT" : "other", arg0);
	@failed[execname, errno] = count();
}

syscall::openat:return
/self->path/
{
	self->path = 0;
}

END
{
	printa("%-8s errno %d: %@d\n", @failed);
}
