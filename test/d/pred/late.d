/*
 * A predicate may use what the body of its clause is the first to assign, and
 * is evaluated before it all the same.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -c 'sleep 2'
 * @stderr
 * @noroundtrip: an `if` is written as a clause of its own, which comes later
 */
BEGIN /x == 0/ { x++; printf("one\n"); }
BEGIN /x == 0/ { printf("never\n"); }
BEGIN /!self->seen/ { self->seen = 1; printf("seen\n"); }
BEGIN /!a[1]/ { a[1] = 2; printf("%d\n", a[1]); }
BEGIN /i % 2 == 0/ { i++; }
BEGIN /i % 2 == 0/ { printf("never\n"); }
BEGIN /!this->l && !y/ { if (probename == "BEGIN") { this->l = 1; y = 5; } }
BEGIN /y/ { printf("%d\n", y); }
tick-10ms /n < 3/ { printf("%d\n", n++); }
tick-10ms /n == 3/ { exit(0); }
