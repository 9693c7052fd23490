/*
 * A timer of SystemTap.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
timer.ms(100) { }
