/*
 * A signal is sent.
 * @run: -ws %f
 * @status: 1
 * @stderr
 */
BEGIN { signal(9); }
