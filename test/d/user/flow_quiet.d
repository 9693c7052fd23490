/*
 * -F with -q: columns and lines, whether printf() ends them or not.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -F -q -s %f -c %t
 */
pid$target:a.out:depth:entry { trace((int)arg0); }
pid$target:a.out:depth:return /arg1 == 3/ { printf("%d", (int)arg1); }
pid$target:a.out:name:entry { trace(1); printf("%s\n", copyinstr(arg0)); }
pid$target:a.out:name:return {}
