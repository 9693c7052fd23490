/*
 * A full buffer ends tracing: what was made before it is kept, and nothing
 * after it, also if it would fit.  END has room.  Nothing is called a drop.
 * @needs: bpf
 * @engines: kernel process
 * @target: count
 * @stderr
 * @run: -q -b 4k -x bufpolicy=fill -s %f -c '%t 1000 wait'
 */
pid$target:a.out:made:entry { printf("%d ", arg0); }
pid$target:a.out:made:return { @ = count(); }
END { printf("end"); printa(" %@d\n", @); }
