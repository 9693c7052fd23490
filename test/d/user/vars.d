/*
 * Variables of every scope, arrays by several and by string keys.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c %t
 */
int calls;
string last;
uint64_t by[string, int];
self int inner;
this int local;
BEGIN { calls = 100; last = "none"; }
pid$target:a.out:name:entry
{
	this->s = copyinstr(arg0);
	seen[this->s]++;
	by[this->s, strlen(this->s)] = ++calls;
	this->local = calls * 2;
}
pid$target:a.out:name:entry
{
	printf("%s %s %d %d %d\n", last, this->s, seen[this->s],
	    by[this->s, strlen(this->s)], this->local);
	last = this->s;
}
pid$target:a.out:depth:entry { self->inner++; level[self->inner] = arg0; }
pid$target:a.out:depth:return
{
	printf("%d at %d\n", (int)level[self->inner], self->inner);
	level[self->inner] = 0;
	self->inner--;
}
pid$target:a.out:work:entry /arg0 < 3/ { self->t[arg0, "x"] = timestamp; }
pid$target:a.out:work:return /self->t[1, "x"] && arg1 == 3/
{
	printf("%d\n", timestamp >= self->t[1, "x"]);
}
END
{
	printf("%d %d %d %s %d\n", seen["alpha"], seen["beta"], seen["delta"],
	    last, by["beta", 4]);
}
