/*
 * Probes of every process are the kernel engine's; how those of one are had.
 * @stderr
 * @status: 1
 * @run: -x engine=process -qs %f -c true
 */
pid*:libc.so.6:exit:entry
{
}
