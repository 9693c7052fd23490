/*
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { @n[pid] = conut(); }
