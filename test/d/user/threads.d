/*
 * Threads have their own variables, share the others, and lose no count.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c '%t threads'
 */
pid$target:a.out:work:entry { self->n = arg0; @c[arg0] = count(); }
pid$target:a.out:work:return /(int)arg1 == self->n * 3/
{
	@ok = sum(1);
	self->n = 0;
}
pid$target:a.out:work:return { @t[tid == pid] = count(); }
