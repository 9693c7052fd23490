/*
 * A rate that nobody has said.
 * @run: -en profile
 * @stderr
 * @status: 1
 */
