/*
 * More frames than there can be.
 * @run: -es %f
 * @stderr
 */
BEGIN { @[ustack(500)] = count(); clear(@); trunc(@); stack(127); exit(0); }
