/*
 * Speculation in a process: the calls of depth() are printed once the
 * outermost has returned, and told from those that were discarded.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c %t
 */
#pragma D option nspec=4
self int s;
self int n;
pid$target:a.out:depth:entry /!self->s/ { self->s = speculation(); }
pid$target:a.out:depth:entry /self->s/
{
	speculate(self->s);
	printf("depth %d at %d\n", (int)arg0, self->n);
	self->n++;
}
pid$target:a.out:depth:entry { printf("plain\n"); }
pid$target:a.out:depth:return /self->s && arg1 == 3/
{
	commit(self->s);
	self->s = 0;
}
pid$target:a.out:depth:return /arg1 == 3/ { printf("done\n"); }
pid$target:a.out:work:entry /!self->s/ { self->s = speculation(); }
pid$target:a.out:work:entry { speculate(self->s); trace("never"); }
pid$target:a.out:work:return { discard(self->s); self->s = 0; }
END { printf("end\n"); }
