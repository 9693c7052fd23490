/*
 * A library that is not loaded, and is like none that is.
 * @run: -n 'pid$target:libnothing.so::entry { trace(1); }' -c true
 * @status: 1
 * @engines: kernel process
 * @stderr
 */
