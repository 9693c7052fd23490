/*
 * END is spared too when tracing ends with the command.
 * @needs: bpf
 * @run: -q -b 1k -x switchrate=10s -s %f -c "find / -maxdepth 1 -name nope"
 */
syscall:::entry /pid == $target/ { printf("%.0s", strjoin(execname, "")); }
END { printf("end\n"); }
