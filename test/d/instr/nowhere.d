/*
 * The kernel steps no locked instruction: with nothing else to trace, that is an
 * error.
 * @needs: bpf
 * @target: kinds
 * @run: -x engine=kernel -qs %f -c %t
 * @status: 1
 * @stderr
 */
instr$target:a.out:mixed:lock-* { @ = count(); }
