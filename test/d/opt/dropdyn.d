/*
 * Elements for which there is no room are counted: none is lost silently.
 * @needs: bpf
 * @engines: kernel process
 * @target: count
 * @stderr
 * @run: -q -x dynvarsize=64k -x strsize=4096 -s %f -c %t
 */
pid$target:a.out:made:entry { a[arg0, probefunc] = 1; made++; }
pid$target:a.out:made:return { kept += a[i++, probefunc]; }
END { printf("%d %d", made, kept > 5 && kept < 100); }
