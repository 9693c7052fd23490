/*
 * A provider that nobody has: which one is near.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
sycall::read:entry { }
