/*
 * -F: system calls of a command, indented.
 * @needs: bpf
 * @engines: kernel process
 * @run: -F -s %f -c "cat /dev/null"
 * @nostderr: a path whose page is not in memory yet is an error
 */
syscall::openat:entry
/pid == $target && copyinstr(arg1) == "/dev/null"/
{
	self->on = 1;
	trace("open");
}

syscall::openat:return, syscall::read: /self->on/ {}
syscall::read:entry /self->on/ { trace(arg1 != 0); }
syscall::close:entry /self->on/ { self->on = 0; trace("close"); }
BEGIN { trace("begin"); }
