/*
 * An object that no process has, for all processes.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
pid*:nosuchobject:work:entry { }
