/*
 * Text without its quotes.
 * @run: -e -s %f
 * @status: 1
 * @stderr
 */
syscall::read:entry
/sshd == execname/
{
	trace(1);
}
