/*
 * Bytes read, by file.
 * @needs: bpf
 * @run: -qs %f -c "cat /proc/sys/kernel/ostype /proc/sys/kernel/ostype"
 */
syscall::read:entry
/pid == $target && fds[arg0].fi_name == "ostype"/
{
	self->fd = arg0 + 1;
}

syscall::read:return
/self->fd && arg0 > 0/
{
	@bytes[fds[self->fd - 1].fi_pathname] = sum(arg0);
	@sizes[fds[self->fd - 1].fi_name] = quantize(arg0);
}

syscall::read:return
/self->fd/
{
	self->fd = 0;
}
