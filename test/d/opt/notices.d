/*
 * Sizes and rates that come out other than asked for are told.
 * @stderr
 * @run: -q -x engine=process -b 8g -x cleanrate=1ns -s %f -c true
 */
BEGIN { exit(0); }
