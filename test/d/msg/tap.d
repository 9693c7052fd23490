/*
 * SystemTap's names of events.
 * @run: -es %f
 * @status: 1
 * @stderr
 */
vfs.read { @ = count(); }
