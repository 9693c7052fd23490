/*
 * What is traced, indented.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -F -s %f -c %t
 */
pid$target:a.out:depth:entry { trace((int)arg0); }
pid$target:a.out:depth:return { trace((int)arg1); }
pid$target:a.out:name:entry { trace(copyinstr(arg0)); }
pid$target:a.out:name:return {}
