/*
 * Four fields, of which the third is the provider in D.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
usdt:libc:myapp:query { }
