/*
 * System calls that fail and that do not; errno; and strings they are given.
 * @needs: bpf
 * @engines: kernel process target
 * @target: calls
 * @run: -qs %f -c %t
 */
pid$target:a.out:work:entry /arg0 == 19/ { self->on = 1; }
syscall::close:entry /self->on/ { printf("close %d\n", (int)arg0); }
syscall::close:return /self->on/ { printf("= %d %d\n", (int)arg1, errno); }
syscall::openat:entry /self->on/ { printf("open %s\n", copyinstr(arg1)); }
syscall::openat:return /self->on && errno/
{
	printf("= %d %d %d\n", (int)arg0, (int)arg1, errno);
}
syscall::read:entry /self->on/ { printf("read %d %d\n", (int)arg0, arg2); }
syscall::read:return /self->on/ { printf("= %d %d\n", (int)arg1, errno); }
syscall::exit_group:entry /self->on/ { printf("exit %d\n", (int)arg0); }
