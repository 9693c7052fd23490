/*
 * Without the option temporal each CPU's records are still in order of time.
 * @needs: bpf
 * @engines: kernel process
 * @target: cpus
 * @run: -q -x temporal=off -s %f -c %t
 */
pid$target:a.out:made:entry { printf("%d\n", arg0); }
