/*
 * A clause about every process whose predicate wants one: where the process
 * engine is to have it, it is about that one.  Which, may follow from another
 * clause; and a pattern may say no more than how a provider's name begins.
 * @needs: bpf
 * @engines: kernel process target
 * @target: calls
 * @run: -qs %f -c %t
 */
self int depth;

pid*:calls:work:entry
/$target == 0 || pid == $target/
{
	self->depth++;
	@[probeprov == strjoin("pid", lltostr($target)), probefunc] = count();
}

pid*:calls:work:return
/self->depth/
{
	printf("%d of %s\n", (int)arg1, execname);
	self->depth--;
}
