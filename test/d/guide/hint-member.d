/*
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { trace(curpsinfo->pr_psarg); }
