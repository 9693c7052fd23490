/*
 * The modes of the preprocessor.
 * @run: -X q -s %f
 * @status: 1
 * @stderr
 */
BEGIN { exit(0); }
