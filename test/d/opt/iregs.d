/*
 * @run: -e -x iregs=2 -s %f
 * @error: D_NOREG
 */
BEGIN { trace((pid + 1) * (ppid + 2)); }
