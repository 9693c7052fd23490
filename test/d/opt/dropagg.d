/*
 * What an aggregation has no room for is counted: all in all it is all.
 * @needs: bpf
 * @engines: kernel process
 * @target: count
 * @stderr
 * @run: -q -x aggsize=1k -x aggrate=1h -s %f -c %t
 */
pid$target:a.out:made:entry { @a[arg0, probefunc, execname] = count(); }
END { trunc(@a); printf("end\n"); }
