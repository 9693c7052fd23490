/*
 * Which those are, and why.
 * @needs: bpf
 * @target: kinds
 * @run: -v -x engine=kernel -qs %f -c %t
 * @stderr
 */
instr$target:a.out:mixed: { n++; }
END { printf("%d\n", n); }
