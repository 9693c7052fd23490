/*
 * -C with -D, -U and a first line for the kernel: see the next line.
 * @needs: bpf
 * @engines: kernel process
 * @run: -C -D ONE=1 -DTWO -DGONE -UGONE -qs %f
 */
#define M(x) ((x) * 2)
#ifdef GONE
#error not undefined
#endif
BEGIN { printf("%d %d %d %d\n", ONE, TWO, M(21), __SUNW_D); exit(0); }
