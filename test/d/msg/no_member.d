/*
 * A member that Linux cannot fill: why.
 * @run: -en 'BEGIN { trace(curpsinfo->pr_pctcpu); }'
 * @status: 1
 * @stderr
 */
