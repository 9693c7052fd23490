/*
 * But not as large ones.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -x strsize=64k -s %f
 * @stderr
 * @status: 1
 */
BEGIN { @[strjoin("a", "b"), execname, strjoin("c", "d")] = count(); exit(0); }
