/*
 * But not as large ones.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -x strsize=4096 -s %f
 * @stderr
 * @status: 1
 */
BEGIN { @[strjoin("a", "b"), execname, strjoin("c", "d"), strjoin("d", "e")] = count(); exit(0); }
