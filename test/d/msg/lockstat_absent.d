/*
 * A probe that other systems have and Linux cannot have: why.
 * @run: -n lockstat:::spin-acquire
 * @status: 1
 * @stderr
 */
