/*
 * A listing says what is wrong, too.
 * @run: -l -P plockstat
 * @status: 1
 * @stderr
 */
