/*
 * An option with a letter missing.
 * @run: -x strsiz=64 -s %f
 * @status: 1
 * @stderr
 */
BEGIN { exit(0); }
