/*
 * A function that the provider has no probes for, and one with letters
 * exchanged.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
syscall::raed:entry { }
