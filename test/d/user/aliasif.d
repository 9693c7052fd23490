/*
 * A clause with an if, and two names of one function: its parts run once, in
 * their order.  @noroundtrip: as it is written back each name has its own clauses.
 * @needs: bpf
 * @engines: kernel process
 * @target: aliases
 * @run: -qs %f -c %t
 */
pid$target:a.out:_go:entry, pid$target:a.out:__g*2:entry
{
	if (arg0 >= 0) others++;
	all++;
}
END { printf("%d %d\n", others, all); }
