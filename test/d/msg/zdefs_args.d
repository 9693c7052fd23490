/*
 * What the arguments of a probe are that is not there is not known.
 * @run: -Zn 'sdt:no_such_module::begin { trace(args[0]->f_pos); }'
 * @needs: bpf
 * @status: 1
 * @stderr
 */
