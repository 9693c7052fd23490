/*
 * Unless that is not wanted.
 * @stderr
 * @run: -q -x engine=process -b 8g -x cleanrate=1h -x quietresize -s %f -c true
 */
BEGIN { exit(0); }
