/*
 * Without the option temporal one CPU's records come after the other's, though
 * they were made before.
 * @needs: bpf
 * @engines: kernel
 * @target: cpus
 * @run: -q -x temporal=off -x switchrate=60s -s %f -c '%t reverse'
 */
pid$target:a.out:made:entry { printf("%d\n", arg0); }
