/*
 * Every instruction of a function once: as many as the function has.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c %t
 */
pid$target:a.out:stop_here: { printf("%s\n", probename); }
pid$target:a.out:narrow:0 { printf("%s %d\n", probename, (int)arg0); }
pid$target:a.out:point:
/probename != "entry" && probename != "return"/ { @ = count(); }
END { printa("points %@d\n", @); }
