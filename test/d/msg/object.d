/*
 * The library of another system.
 * @run: -n 'pid$target:libc.so.1:malloc:entry { trace(1); }' -c true
 * @status: 1
 * @stderr
 */
