/*
 * @run: -qs %f
 * @status: 1
 * @stderr
 */
BEGIN { system("echo no"); exit(0); }
