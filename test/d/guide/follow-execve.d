/*
 * The return of an execve that succeeds is the kernel engine's; named, it is
 * said so.
 * @run: -x engine=process -x follow=all -qs %f -c true
 * @stderr
 */
syscall::execve:return, syscall::vfork:return, syscall::*at:return { n++; }
BEGIN { exit(0); }
