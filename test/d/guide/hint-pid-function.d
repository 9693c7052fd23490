/*
 * A function of the target, misspelt.
 * @run: -s %f -c true
 * @status: 1
 * @stderr
 */
pid$target:libc.so.6:mallok:entry { }
