/*
 * A symbol of the kernel.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { printf("%a", ksym(arg0)); }
