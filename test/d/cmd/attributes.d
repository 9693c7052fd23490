/*
 * -C: attributes of headers that change a layout are obeyed, with gcc's
 * numbers; static functions and attributes that say nothing of layouts are
 * passed over; an enumerator may be beyond an int.
 *
 * @needs: bpf
 * @run: -C -qs %f
 * @noroundtrip: structs without members, and [0] before others, need -C
 */
#include <sys/epoll.h>
#include <linux/if_ether.h>
#include <linux/tcp.h>
#include <linux/sched.h>
#include <aio.h>
#include <link.h>
#include <linux/in.h>
#include <pthread.h>

static __inline__ __attribute__((const)) int of_c(int x)
{
	if (x > 1) { return x * 2; }
	__asm__ ("nop" : : "r" (x));
	return "}"[0];
}
static int of_c_too(const char *, ...) __attribute__((format(printf, 1, 2)));

struct a { char c; int i; short s; } __attribute__((packed));
struct __attribute__((__packed__, aligned(4))) b { char c; long l; };
struct c { char c; int i __attribute__((packed)); long l; };
struct d { char c; char x __attribute__((aligned(8))); char y; };
struct e { char c; struct a a; long l; } __attribute__((aligned(32)));
struct f { int a:3; long b:40; int c:30; } __attribute__((packed));
struct g { char c; __attribute__((aligned(8))) int i; };
struct h { char c; int b:5 __attribute__((packed)); int d:30; };
struct i { struct { } none; int z[0]; int last; };
union j { char c; long l; } __attribute__((packed));
struct k { char c; union j j; int *p __attribute__((aligned(16))); };
typedef struct { int i; } __attribute__((aligned)) big_t;
typedef struct { int i; } late_t __attribute__((aligned(16)));
typedef unsigned long low_t __attribute__((aligned(4)));
struct l { char c; late_t t; char d; low_t u; };

enum wide { LOW = 1, HIGH = 0x80000000, LAST = 0xffffffff };
enum wider { FAR = 0x100000000, FARTHER };

BEGIN
{
	printf("%d %d %d %d\n", sizeof(struct a), offsetof(struct a, i),
	    offsetof(struct a, s), sizeof(struct b));
	printf("%d %d %d\n", offsetof(struct b, l), offsetof(struct c, i),
	    sizeof(struct c));
	printf("%d %d %d\n", offsetof(struct d, x), offsetof(struct d, y),
	    sizeof(struct d));
	printf("%d %d %d\n", offsetof(struct e, a), offsetof(struct e, l),
	    sizeof(struct e));
	printf("%d %d %d\n", sizeof(struct f), offsetof(struct g, i),
	    sizeof(struct g));
	printf("%d %d %d\n", sizeof(struct h), offsetof(struct i, last),
	    sizeof(struct i));
	printf("%d %d %d %d\n", sizeof(union j), offsetof(struct k, j),
	    offsetof(struct k, p), sizeof(struct k));
	printf("%d %d %d %d %d\n", sizeof(big_t), sizeof(late_t),
	    offsetof(struct l, t), offsetof(struct l, u), sizeof(struct l));
	printf("%d %d %d\n", sizeof(struct epoll_event),
	    sizeof(struct ethhdr), sizeof(struct tcphdr));
	printf("%d %d\n", sizeof(struct aiocb), sizeof(struct link_map));
	printf("%d %d %u %u %x\n", sizeof(enum wide), sizeof(enum wider), HIGH,
	    EPOLLET, FARTHER);
	printf("%d\n", HIGH > 0);
	exit(0);
}
