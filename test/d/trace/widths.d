/*
 * Columns of trace() by size.
 * @needs: bpf
 * @run: -s %f
 */
BEGIN
{
	trace((char)1);
	trace((short)-2);
	trace(3);
	trace((long)-4);
	trace((uint64_t)5);
	trace("str");
	trace(curthread == NULL);
	trace("end");
	exit(0);
}
