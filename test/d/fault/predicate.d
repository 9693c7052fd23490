/*
 * A fault in a predicate, and in ERROR itself.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 * @run: -qs %f
 */
BEGIN /1 % (pid - pid)/ { trace("not here"); }
BEGIN { x = (uint64_t *)8; y = x[0]; trace("nor here"); }
BEGIN { printf("other clauses run\n"); exit(0); }
ERROR { printf("action %d fault %d value %d\n", arg2, arg4, arg5); }
ERROR { trace(*(int *)4); }
