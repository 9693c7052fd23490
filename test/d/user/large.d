/*
 * All instructions of a function that has more than a few pages.
 * @needs: user
 * @target: large
 * @run: -qs %f -c %t
 */
pid$target:a.out:large: { n++; }
END { printf("%d\n", n); }
