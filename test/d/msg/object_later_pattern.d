/*
 * A pattern of libraries, none of which is loaded.
 * @run: -n 'pid$target:libnothing*:f:entry { trace(1); }' -c true
 * @status: 1
 * @engines: kernel process
 * @stderr
 */
