/*
 * A function of the kernel, and with what SystemTap calls it.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
kernel.function("vfs_read").return { }
