/*
 * The same in probes of the whole system is an error: the process engine would
 * see one process.
 * @needs: bpf
 * @run: -C -qs %f -c /bin/true
 * @status: 1
 * @stderr
 */
#define X1 (x % 3 ? 1 : strlen(strjoin(execname, lltostr(x))))
#define X4 X1 + X1 + X1 + X1
#define X16 X4 + X4 + X4 + X4
#define X64 X16 + X16 + X16 + X16
#define X256 X64 + X64 + X64 + X64
BEGIN { x = 1; }
syscall::close:entry { trace(X256 + X256); }
