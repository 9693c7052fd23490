/*
 * Arguments of probes with the names that the kernel gives them.
 * @run: -lvn 'syscall::rt_sigaction:entry, syscall::clone:return'
 */
