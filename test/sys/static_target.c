/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * static_target.c - a program with static probes, of its own header and of
 * notes as other headers write them.
 *
 *	fire N [LIB]   fire each N times; LIB is opened before, and its probe
 *		       fires
 *	late N LIB US  open LIB, wait until somebody listens to its probe, and
 *		       so many microseconds more, fire N times
 *	made N LIB     the same of a copy in memory alone, without semaphores:
 *		       whether somebody listens is seen in the code
 *		       (static_made.S)
 *	watch          say whenever the number of those who listen changes,
 *		       until a line is read
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "static.h"

struct job {
	int id;
	char *name;
};

#define NOTE(prov, probe, sema, args)                                     \
	"990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n"            \
	".balign 4\n.4byte 992f-991f,994f-993f,3\n"                       \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n"                       \
	"993: .8byte 990b,0," sema "\n.asciz \"" prov "\"\n"              \
	".asciz \"" probe "\"\n.asciz \"" args "\"\n"                     \
	"994: .balign 4\n.popsection\n"

volatile unsigned long static_data[2] = { 111, 222 };
/* As <sys/sdt.h> has them: section .probes, counted by who listens. */
__attribute__((section(".probes"))) volatile unsigned short
	shop_counted_semaphore;

/* Every way an operand can be had. */
__attribute__((noinline)) static void
operands(long n)
{
	long mem[4] = { n, -n, n + 2, n + 3 };

	__asm__ volatile(
		"mov %[n], %%rcx\n\tmov %[mem], %%rbx\n\tmov $1, %%eax\n"
		NOTE("shop", "regs", "0", "8@%%rcx -4@%%ecx 1@%%ch -1@%%cl "
						"8@$-7 4@$0x10")
		NOTE("shop", "mem", "0", "-8@8(%%rbx) -8@(%%rbx,%%rax,8) "
			"8@static_data(%%rip) 8@8+static_data(%%rip) "
			"-2@16(%%rbx)")
		NOTE("shop", "thread", "0", "8@%%fs:0 8@%%fs:-8(,%%rax,8) "
			"8@%%fs:16")
		NOTE("shop", "counted", "shop_counted_semaphore", "8@%%rcx")
		:
		: [n] "r"(n), [mem] "r"(mem)
		: "rax", "rbx", "rcx", "memory");
}

/* 1.5 * n as a double and as a float. */
__attribute__((noinline)) static void
vectors(double d, float f)
{
	__asm__ volatile("movsd %[d], %%xmm5\n\tmovss %[f], %%xmm9\n"
			 NOTE("shop", "vecs", "0", "8f@%%xmm5 4f@%%xmm9")
			 :
			 : [d] "m"(d), [f] "m"(f)
			 : "xmm5", "xmm9");
}

/* Notes that lie, in code that is never reached. */
__attribute__((noinline, used)) static void
lies(void)
{
	__asm__ volatile(NOTE("shop", "unknown", "0", "8@%%zz9")
			 NOTE("shop", "segment", "0", "8@%%gs:8")
			 :);
	__asm__ volatile(".macro lie_many\n.rept 1000\n.ascii \"1@$0 \"\n"
			 ".endr\n.endm\n"
			 "990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n"
			 ".balign 4\n.4byte 992f-991f,994f-993f,3\n"
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"
			 "993: .8byte 990b,0,0\n.asciz \"shop\"\n"
			 ".asciz \"many\"\nlie_many\n.byte 0\n"
			 "994: .balign 4\n.popsection\n");
}

__attribute__((noinline)) static void
sell(int n)
{
	struct job j = { n, "paint" };

	SHOP_SALE_START(n, &j);
	if (SHOP_RARE_ENABLED())
		SHOP_RARE(n);
	SHOP_SALE_DONE(j.name, 10 * n);
	SHOP_KEPT(&j);
}

static int
fire(int n, const char *lib)
{
	void *h = lib != NULL ? dlopen(lib, RTLD_NOW) : NULL;
	union {
		void *p;
		int (*f)(int);
	} call = { h != NULL ? dlsym(h, "lib_call") : NULL };

	if (lib != NULL && call.p == NULL)
		return 1;
	for (int i = 1; i <= n; i++) {
		sell(i);
		operands(1000 * i);
		vectors(1.5 * i, 1.5f * (float)i);
		if (call.p != NULL)
			call.f(i);
	}
	return 0;
}

/* A symbol of a library that is opened now. */
static void *
opened(const char *lib, const char *name)
{
	static void *h;

	if (h == NULL)
		h = dlopen(lib, RTLD_NOW);
	void *p = h != NULL ? dlsym(h, name) : NULL;
	if (p == NULL) {
		fprintf(stderr, "static_target: %s\n", dlerror());
		exit(1);
	}
	return p;
}

static int
late(int n, const char *lib, useconds_t more)
{
	union {
		void *p;
		int (*f)(int);
		int (*listens)(void);
	} call = { opened(lib, "lib_call") }, ask = { opened(lib, "lib_listens") };

	for (int i = 0; i < 60000 && !ask.listens(); i++)
		usleep(1000);
	usleep(more);
	for (int i = 1; i <= n; i++)
		call.f(i);
	return !ask.listens();
}

static int
made(int n, const char *lib)
{
	union {
		void *p;
		void (*f)(long, int);
	} first, second;
	int from = open(lib, O_RDONLY), fd = memfd_create("made", 0);
	char path[64];
	struct stat st;
	void *m;

	if (from < 0 || fd < 0 || fstat(from, &st) != 0)
		return 1;
	m = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, from, 0);
	if (m == MAP_FAILED || write(fd, m, (size_t)st.st_size) != st.st_size)
		return 1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	first.p = opened(path, "made_first");
	second.p = opened(path, "made_second");
	close(fd);
	const volatile unsigned char *code[] = { first.p, second.p };
	for (int i = 0; i < 60000 && (*code[0] == 0x90 || *code[1] == 0x90);
	     i++)
		usleep(1000);
	for (int i = 1; i <= n; i++) {
		first.f(10 * i, -i);
		second.f(i, 0);
	}
	return 0;
}

static int
watch(void)
{
	struct pollfd p = { .fd = 0, .events = POLLIN };
	int was = -1;

	do {
		int is = SHOP_RARE_ENABLED() + 10 * shop_counted_semaphore;

		sell(1);
		if (is != was)
			printf("%02d\n", was = is), fflush(stdout);
	} while (poll(&p, 1, 5) == 0);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "fire") == 0)
		return fire(atoi(argv[2]), argv[3]);
	if (argc == 5 && strcmp(argv[1], "late") == 0)
		return late(atoi(argv[2]), argv[3], (useconds_t)atoi(argv[4]));
	if (argc == 4 && strcmp(argv[1], "made") == 0)
		return made(atoi(argv[2]), argv[3]);
	return argc == 2 ? watch() : 2;
}
