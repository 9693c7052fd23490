/*
 * Strings are not joined by a plus.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { x = strjoin("a", "b") + probename; }
