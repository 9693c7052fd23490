/*
 * What a pattern matches and the kernel steps not is counted, and said.
 * @needs: bpf
 * @target: kinds
 * @run: -x engine=kernel -qs %f -c %t
 * @stderr
 */
instr$target:a.out:mixed: { n++; }
END { printf("%d\n", n); }
