/*
 * A full buffer drops records and counts them, and spares END.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 * @run: -q -b 1k -x strsize=256 -x switchrate=50ms -s %f
 */
BEGIN { x = "first"; y = ""; printf("%s\n", x); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
BEGIN { printf("%s", y); }
tick-500ms { exit(0); }
END { printf("end\n"); }
