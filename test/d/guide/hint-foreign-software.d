/*
 * An event that the kernel counts.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
software:page-faults:100 { }
