/*
 * A size that cannot be had is an error if it must not be lowered.
 * @stderr
 * @status: 1
 * @run: -q -x engine=process -b 8g -x bufresize=manual -s %f -c true
 */
BEGIN { exit(0); }
