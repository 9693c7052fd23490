/*
 * An argument of a tool that is none of the words that it may be.
 * @run: run syscount thread
 * @status: 2
 * @stderr
 */
