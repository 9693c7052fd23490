/*
 * A part of a function, by its name (split.d).
 * @needs: bpf
 * @engines: kernel process
 * @target: split
 * @run: -qs %f -c %t
 */
pid$target:a.out:whole.cold:entry { @[probefunc] = count(); }
