/*
 * Nothing but that the probes fired is kept, and printed with -F: calls indent
 * as ever once they are committed.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -F -s %f -c %t
 */
self int s;
pid$target:a.out:depth:entry /!self->s/ { self->s = speculation(); }
pid$target:a.out:depth:entry,
pid$target:a.out:depth:return
/self->s/
{
	speculate(self->s);
}
pid$target:a.out:depth:return /self->s && arg1 == 3/
{
	commit(self->s);
	self->s = 0;
}
