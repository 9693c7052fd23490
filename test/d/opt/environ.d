/*
 * The environment of a command, as the last option says.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -x setenv=A=1 -x setenv=A=2=2 -x setenv=B=3 -x unsetenv=B -x unsetenv=TZ -s %f -c 'env env sh -c "echo A=$A/B=$B/TZ=$TZ"'
 */
END { printf("end\n"); }
