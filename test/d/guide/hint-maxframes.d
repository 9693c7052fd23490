/*
 * How many frames there can be.
 * @run: -x maxframes=512 -s %f
 * @status: 1
 * @stderr
 */
BEGIN { exit(0); }
