/*
 * Names of probes are case sensitive.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
begin { }
