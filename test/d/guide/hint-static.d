/*
 * The provider of a process is there, the name of the probe is not.
 * @run: -s %f -c /bin/true
 * @status: 1
 * @stderr
 */
plockstat$target:::mutex-aquire { }
