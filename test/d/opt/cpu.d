/*
 * Only what fires on one CPU counts, is recorded, and is remembered.
 * @needs: bpf
 * @engines: kernel process
 * @target: cpus
 * @run: -q -x cpu=0 -s %f -c %t
 */
pid$target:a.out:made:entry { n++; printf("%d:%d ", cpu, arg0); }
pid$target:a.out:made:return { @ = count(); }
END { printf("%d", n); printa(" %@d\n", @); }
