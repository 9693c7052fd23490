/*
 * One value of more instructions than a jump of the kernel's reaches: the process
 * engine has it, where nothing else fires that it would miss.
 * @needs: bpf
 * @run: -C -qs %f
 */
#define X1 (x % 3 ? 1 : strlen(strjoin(execname, lltostr(x))))
#define X4 X1 + X1 + X1 + X1
#define X16 X4 + X4 + X4 + X4
#define X64 X16 + X16 + X16 + X16
#define X256 X64 + X64 + X64 + X64
BEGIN { x = 1; }
BEGIN { trace(X256 + X256); exit(0); }
