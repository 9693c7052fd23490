/*
 * Quotes that a word processor has made of others.
 * @stderr
 * @status: 1
 */
BEGIN { printf(“begun”); }
