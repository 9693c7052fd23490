/*
 * A number is followed as a pointer: args[] has those.
 * @run: -s %f
 * @status: 1
 * @stderr
 */
io:::start { trace(arg0->b_bcount); }
