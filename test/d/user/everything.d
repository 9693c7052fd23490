/*
 * All instructions of hundreds of functions at once: pages for what their jumps
 * lead to are more than there may be mappings, which are joined.
 * @needs: user
 * @nostderr: how many have no place is up to the C library
 * @run: -qs %f -c true
 */
pid$target:libc.so.6:s*: { seen++; }
pid$target:libc.so.6:exit:entry { printf("at the end\n"); }
END { printf("%s\n", seen < 100000 ? "no more than that" : "too many"); }
