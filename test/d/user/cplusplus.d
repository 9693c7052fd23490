/*
 * C++: mangled names, a function that is left by an exception.
 * @needs: bpf
 * @engines: kernel process
 * @target: names
 * @run: -qs %f -c %t
 */
pid$target:a.out:_ZN4shop*:entry,
pid$target:a.out:_Z4half*:entry { printf("%s %d\n", probefunc, arg1 & 0xf); }
pid$target:a.out:_ZN4shop*:return { printf("%s = %d\n", probefunc, (int)arg1); }
pid$target:a.out:main:return { printf("main %d\n", (int)arg1); }
