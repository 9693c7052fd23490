/*
 * A factor of zero ends tracing.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 * @status: 1
 */
BEGIN { @a = count(); normalize(@a, arg0); exit(0); }
