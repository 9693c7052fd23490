/*
 * No stack is deeper, whatever is asked for.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -q -x maxframes=1 -x noresolve -s %f -c %t
 */
pid$target:a.out:work:entry /!n++/ { ustack(9); @[ustack()] = count(); }
