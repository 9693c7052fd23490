/*
 * A function that has another name for old programs only, as free() has
 * cfree() in the C library, goes by the name that programs use.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -c 'sh -c :'
 */
pid$target:libc.so.6:free:entry /!n++/ { printf("%s\n", probefunc); }
