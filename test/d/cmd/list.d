/*
 * -l
 * @needs: bpf
 * @run: -l -n BEGIN -P dtrace -i 2
 */
