/*
 * @needs: bpf
 * @engines: kernel process
 */

int x;
BEGIN /x == 0/ { x = 1; printf("one\n"); }
BEGIN /x == 0/ { printf("never\n"); }
BEGIN /x == 1 && (8 / 4) == 2/ { printf("two\n"); exit(0); }
END /x/ { printf("end\n"); }
