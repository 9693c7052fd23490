/*
 * On the command line: the option, and no program before the error.
 * @run: -x errfmt=full -n 'BEGIN { trace(1); }' -n 'BEGIN /pid == 3/ { @[execname] = quantize(foo); trace(barbarbarbarbarbarbarbarbarbarbarbarbarbar); }'
 * @status: 1
 * @stderr
 */
