/*
 * The code that makes providers of programs is none of them.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
usdt:::start { }
