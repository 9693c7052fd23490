/*
 * An instruction of another kind is called by its name.
 * @error: D_PROC_NAME 7
 * @target: kinds
 * @run: -qs %f -c %t
 */
instr$target:a.out:mixed:jne-7 { @ = count(); }
