/*
 * A function as SystemTap writes it.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
function f() { } BEGIN { f(); }
