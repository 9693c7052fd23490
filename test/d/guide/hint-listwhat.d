/*
 * What is to be listed is not said by words without an option.
 * @stderr
 * @status: 1
 * @run: -l syscall
 */
