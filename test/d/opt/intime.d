/*
 * All records come in the order of their time, from the first on, also if the
 * CPU that is looked at first has made the later ones.
 * @needs: bpf
 * @engines: kernel
 * @target: cpus
 * @run: -q -x switchrate=60s -s %f -c '%t reverse'
 */
pid$target:a.out:made:entry { printf("%d\n", arg0); }
