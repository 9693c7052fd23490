/*
 * The same as bytes.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -x rawbytes -x strsize=64 -s %f
 */
typedef struct { char name[8]; int n; } rec_t;
rec_t r, empty;
struct { double d; } f;
enum e { ONE = 1 };

BEGIN { trace((char)-1); trace((short)-2); trace(-3); trace((long)-4); }
BEGIN { trace((unsigned char)255); trace((unsigned short)65535); trace((unsigned)-1); trace((unsigned long)-1); }
BEGIN { trace("str"); trace(""); trace("a string that is longer than thirty-three columns"); trace("tab\tend"); }
BEGIN { r.name[0] = 'h'; r.n = 5; trace(r.name); trace(r); trace(empty.name); }
BEGIN { trace((int *)0x10); trace('c'); trace((enum e)1); trace(1 == 1); trace(f.d); }
BEGIN { trace(probename); sym(0x20); usym(0x10); mod(0x30); }
BEGIN { this->p = (char *)alloca(40); bcopy("abcdefghijklmnopqrstuvwxyz\001\002", this->p, 29); tracemem(this->p, 3); tracemem(this->p, 26, 20); tracemem(this->p, 29); tracemem(this->p, 8, 0); tracemem(this->p, 4, 100); }
BEGIN { exit(0); }
