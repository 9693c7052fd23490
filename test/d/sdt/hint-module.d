/*
 * Tracepoints that are not there: which field it is, and what was meant.
 * @needs: bpf
 * @run: -x errfmt=full -s %f
 * @status: 1
 * @stderr
 */
sdt:nosuch::wakeup {}
sdt:nosuch::sched_switch {}
sdt:shced::sched_switch {}
sdt:nosuch*:: {}
sdt::sched:sched_switch {}
