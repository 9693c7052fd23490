/*
 * Providers and probes that other systems have: what shows such things here.
 * @run: -x errfmt=full -s %f
 * @status: 1
 * @stderr
 */
mib:::tcpOutRsts { }
fsinfo:::read { }
sysinfo:::cpu_ticks_idle { }
