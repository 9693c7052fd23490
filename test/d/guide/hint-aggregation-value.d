/*
 * An aggregation has no value to be compared.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { @a = count(); }
BEGIN /@a > 5/ { }
