/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_native_mem.c - the memory of rt_mem.h in the traced process.
 *
 * Three kinds of addresses are known good and read directly: the shared memory
 * (machines, buffers, variables, names), the regions (string constants) and
 * the page of the stack that we stand on.  Any other may be unmapped at any
 * moment, so the kernel copies: process_vm_readv(2) on ourselves fails where a
 * plain load would kill the program.  Where a seccomp filter might object to
 * that call (rtn_shared.seccomp), such addresses are bad ones.
 *
 * Like the kernel's helpers and rt_host.c: copies run forward, a copy that
 * fails leaves zeroes, and a string's bytes behind its NUL are not touched.
 *
 * Compilers call memcpy() and its like even here; they are below.
 */
#include "rt/rt_mem.h"
#include "rt/rt_native_impl.h"
#include "rt/rt_native_sys.h"

#define PAGE 4096u

/* ---- what the compiler may call ------------------------------------------ */

void *
memcpy(void *dst, const void *src, size_t n)
{
	void *d = dst;

	__asm__ volatile("rep movsb" : "+D"(d), "+S"(src), "+c"(n)::"memory");
	return dst;
}

void *
memset(void *dst, int c, size_t n)
{
	void *d = dst;

	__asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(c) : "memory");
	return dst;
}

void *
memmove(void *dst, const void *src, size_t n)
{
	uint8_t *d = dst;
	const uint8_t *s = src;

	if ((uintptr_t)d - (uintptr_t)s >= n)
		return memcpy(dst, src, n);
	while (n-- > 0)
		d[n] = s[n];
	return dst;
}

int
memcmp(const void *a, const void *b, size_t n)
{
	const uint8_t *p = a, *q = b;

	for (size_t i = 0; i < n; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return 0;
}

/* ---- known good addresses ------------------------------------------------ */

/* The part of [addr, addr + n) from its start that lies in [lo, hi). */
static inline uint64_t
part_in(uint64_t addr, uint64_t n, uint64_t lo, uint64_t hi)
{
	if (addr < lo || addr >= hi)
		return 0;
	return n < hi - addr ? n : hi - addr;
}

/* An address on the stack of the thread that fires. */
static uint64_t
thread_stack(const struct rtn_shared *sh, const struct rt *rt)
{
	if (!sh->stacks)
		return (uint64_t)__builtin_frame_address(0);
	return *(const uint64_t *)(rt->self + sh->slot_stride - RTN_STACK_TOP);
}

/* How many of the n bytes at addr may be read without a check. */
static uint64_t
known_good(struct rt *rt, uint64_t addr, uint64_t n)
{
	const struct rtn_shared *sh = RTN_SHARED(rt);
	uint64_t page = thread_stack(sh, rt) & -(uint64_t)PAGE;
	uint64_t good;

	good = part_in(addr, n, rt->self, rt->self + sizeof(*rt));
	if (good == 0)
		good = part_in(addr, n, sh->self, sh->self + sh->shared_size);
	for (uint32_t i = 0; good == 0 && i < sh->nregions; i++)
		good = part_in(addr, n, sh->region[i].lo, sh->region[i].hi);
	return good ? good : part_in(addr, n, page, page + PAGE);
}

/* Forward, so that overlapping copies give what a loop over bytes gives. */
static inline void
copy_forward(uint8_t *dst, const uint8_t *src, uint64_t n)
{
	if (n == 8 && (uintptr_t)dst - (uintptr_t)src >= 8)
		*(uint64_t *)(void *)dst =
			*(const uint64_t *)(const void *)src;
	else
		memcpy(dst, src, n);
}

/* ---- copies by the kernel ------------------------------------------------ */

static int64_t
kernel_copy(struct rt *rt, enum rtn_sys_nr nr, uint64_t here, uint64_t there,
	    uint64_t n)
{
	struct rtn_iovec local = { here, n }, remote = { there, n };
	int64_t rc;

	if (RTN_SHARED(rt)->seccomp)
		return -1;
	rc = rtn_syscall6(nr,
			  RTN_SHARED(rt)->follow ? rt->pid
						 : RTN_SHARED(rt)->own_pid,
			  (uint64_t)&local, 1,
			  (uint64_t)&remote, 1, 0);
	/* The main thread has ended, and has no memory any more. */
	if (rc == -RTN_ESRCH)
		rc = rtn_syscall6(nr,
				  (uint64_t)rtn_syscall0(RTN_SYS_gettid),
				  (uint64_t)&local, 1, (uint64_t)&remote, 1,
				  0);
	return rc;
}

/* Some of the n bytes at addr: how many, or -1. */
int64_t
rtn_mem_some(struct rt *rt, void *dst, uint64_t n, uint64_t addr)
{
	uint64_t good = known_good(rt, addr, n);

	if (good == 0)
		return kernel_copy(rt, RTN_SYS_process_vm_readv, (uint64_t)dst,
				   addr, n);
	copy_forward(dst, (const uint8_t *)addr, good);
	return (int64_t)good;
}

long
rtn_mem_read(struct rt *rt, void *dst, uint64_t n, uint64_t addr)
{
	uint64_t done = 0;
	int64_t got;

	while (done < n) {
		got = rtn_mem_some(rt, (uint8_t *)dst + done, n - done,
				   addr + done);
		if (got <= 0) {
			memset(dst, 0, n);
			return -1;
		}
		done += (uint64_t)got;
	}
	return 0;
}

/* ---- strings ------------------------------------------------------------- */

/* Copy up to and with a NUL: how many bytes; n where there is none. */
static uint64_t
copy_string(uint8_t *dst, const uint8_t *src, uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++) {
		dst[i] = src[i];
		if (dst[i] == 0)
			break;
	}
	return i;
}

#define WINDOW 256u /* bytes that the kernel is asked for at once */

/*
 * One step of a string: at most `n` bytes, and no page beyond the one that
 * addr is in, for the string may end before the next.  *step bytes were
 * looked at; how many there are before the NUL; -1.
 */
static int64_t
string_step(struct rt *rt, uint8_t *dst, uint64_t n, uint64_t addr,
	    uint64_t *step)
{
	uint64_t good = known_good(rt, addr, n), page = PAGE - addr % PAGE;
	uint8_t window[WINDOW];

	if (good != 0) {
		*step = good;
		return (int64_t)copy_string(dst, (const uint8_t *)addr, good);
	}
	if (n > page)
		n = page;
	if (n > WINDOW)
		n = WINDOW;
	if (kernel_copy(rt, RTN_SYS_process_vm_readv, (uint64_t)window, addr,
			n) != (int64_t)n)
		return -1;
	*step = n;
	return (int64_t)copy_string(dst, window, n);
}

long
rtn_mem_read_str(struct rt *rt, void *dst, uint64_t n, uint64_t addr)
{
	uint64_t done = 0, step = 0;
	int64_t len;

	while (done < n) {
		len = string_step(rt, (uint8_t *)dst + done, n - done,
				  addr + done, &step);
		if (len < 0) {
			memset(dst, 0, n);
			return -1;
		}
		if ((uint64_t)len < step)
			return (long)(done + (uint64_t)len + 1);
		done += step;
	}
	if (n != 0)
		((uint8_t *)dst)[n - 1] = 0;
	return (long)n;
}

/* ---- writes -------------------------------------------------------------- */

long
rt_uwrite(struct rt *rt, uint64_t addr, const void *src, uint64_t n)
{
	return kernel_copy(rt, RTN_SYS_process_vm_writev, (uint64_t)src, addr,
			   n) == (int64_t)n
		       ? 0
		       : -1;
}
