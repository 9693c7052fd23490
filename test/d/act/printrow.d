/*
 * print() among other actions, with the columns before it.
 * @needs: bpf
 * @engines: kernel process
 * @run: -s %f
 */
struct pair { int a, b; } p;
BEGIN { trace("x"); print(p); trace("y"); }
BEGIN { print(2); exit(0); }
