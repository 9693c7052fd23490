/*
 * A function of several names has one probe, by the preferred name; another
 * name finds it too.  A local symbol is the last choice, underscores count
 * less than that.  A clause that has two of the names runs once; one with two
 * descriptions of one name runs twice, as any does (BEGIN, BEGIN).
 * @needs: bpf
 * @engines: kernel process
 * @target: aliases
 * @run: -qs %f -c %t
 */
pid$target:a.out:go:entry { printf("%s by go\n", probefunc); }
pid$target:a.out:_go:entry { printf("%s by _go\n", probefunc); }
pid$target:a.out:__g*2:entry { printf("%s by __g*2\n", probefunc); }
p*d$target:a.out:_go:return { printf("%s by p*d\n", probefunc); }
pid$target:a.out:_local:entry { printf("%s by _local\n", probefunc); }
pid$target:a.out:local:entry { printf("%s by local\n", probefunc); }
pid$target:a.out:go:entry, pid$target:a.out:_go:entry { n++; }
pid$target:a.out:go:entry, pid$target:a.out:g*:entry { same++; }
END { printf("%d %d\n", n, same); }
