/*
 * -F with several clauses on one probe: the first record of an entry and the
 * last of a return move the indentation; recursion.
 * @engines: process
 * @run: -F -s %f -c %t
 * @target: calls
 */
int n;
pid$target:a.out:depth:entry /n < 6/ { trace("first"); }
pid$target:a.out:depth:entry /n < 6/ { trace("second"); }
pid$target:a.out:depth:return /n < 6/ { trace("first"); }
pid$target:a.out:depth:return /n++ < 6/ { trace("second"); }
