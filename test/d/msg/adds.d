/*
 * As in other languages of aggregations.
 * @run: -es %f
 * @status: 1
 * @stderr
 */
BEGIN { @[pid] += 1; }
