/*
 * A part that is split off a function is entered by nobody: a pattern does not
 * mean it (splitname.d: its name does); its instructions are as any.
 * @needs: bpf
 * @engines: kernel process
 * @target: split
 * @run: -qs %f -c %t
 */
pid$target:a.out:whole*:entry,
pid$target:a.out:whole*:return { @all[probefunc, probename] = count(); }
pid$target:a.out:whole*:0 { @all[probefunc, probename] = count(); }
