/*
 * A target that is not there.
 * @run: -s %f -c true -c true
 * @status: 1
 * @stderr
 */
BEGIN { trace($target3); exit(0); }
