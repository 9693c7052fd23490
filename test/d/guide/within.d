/*
 * What an engine lacks is called as the program calls it.
 * @run: -x engine=process -qs %f -c true
 * @status: 1
 * @stderr
 */
syscall::read:entry { trace(cwd); }
