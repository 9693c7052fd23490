/*
 * A register of other systems that is not known here.
 *
 * @needs: bpf
 * @run: -e -s %f
 * @status: 1
 * @stderr
 */
syscall::getpid:entry
{
	trace(uregs[R_GS]);
}
