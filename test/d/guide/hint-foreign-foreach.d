/*
 * A loop over the keys, as SystemTap writes it.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { foreach (k in a) { } }
