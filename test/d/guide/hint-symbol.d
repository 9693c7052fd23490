/*
 * Symbols of the kernel, and of programs, where nobody has them: why.
 * @run: -x errfmt=full -s %f
 * @status: 1
 * @stderr
 */
BEGIN { trace(nosuchmod`x); }
BEGIN { trace(genunix`kmem_flags); }
BEGIN { trace(libc.so.6`environ); }
