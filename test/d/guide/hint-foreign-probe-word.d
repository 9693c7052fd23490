/*
 * A probe as SystemTap writes it.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
probe begin { exit(0); }
