/*
 * A declaration as SystemTap writes it.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
global x; BEGIN { x = 1; }
