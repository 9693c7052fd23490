/*
 * Of the whole system's probes the clauses let the target's alone through: by
 * its number, on either side, or by a variable that such a clause has set.
 * @engines: kernel process target
 * @target: calls
 * @run: -qs %f -c %t
 */
syscall::close:entry /(int)arg0 < 0 && pid == $target/ { self->fd = (int)arg0; }
syscall::close:return /self->fd && errno/
{
	printf("close %d: %d, by %d\n", self->fd, errno, pid == $target);
	self->fd = 0;
}
syscall::openat:entry /$target == pid/ { @[copyinstr(arg1)] = count(); }
syscall::exit_group:entry /pid == $target/ { exit(0); }
END { printa("%-30s %@d\n", @); }
