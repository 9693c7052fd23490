/*
 * An aggregation as SystemTap writes it.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { @x <<< 1; }
