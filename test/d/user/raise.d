/*
 * A signal that the probe sends is handled before the function goes on.
 * @engines: process
 * @target: calls
 * @run: -wqs %f -c '%t signal'
 * @stderr
 */
pid$target:a.out:stop_here:entry { printf("here\n"); raise(10); }
pid$target:a.out:caught:entry { printf("caught %d\n", (int)arg0); }
