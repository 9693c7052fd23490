/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject_stub.c - the code in which a thread makes system calls for us, so
 * written that the thread comes back to its own work when nobody holds it.
 *
 * A tracer that is killed lets go of its threads at once, with the registers
 * that were set last.  A thread that stands at a `syscall` of the program with
 * the registers of our call would then go on behind it as if the program had
 * made that call: it returns early from some function, with a wrong result,
 * and nobody notices.  So the thread is sent into code of ours:
 *
 *	mask:	the thread's signal mask
 *	back:	where it goes on
 *	entry:	syscall			our call; its registers are set already
 *		rt_sigprocmask(SIG_SETMASK, &mask, NULL, 8)
 *		mov ..., %rax		and all others that a call uses
 *		jmp *back
 *
 * The tracer takes the thread out of it behind the first `syscall`.  If the
 * tracer is gone by then, the thread runs the rest: it has lost some
 * microseconds, and the process has a mapping or a descriptor too many.
 * Nothing is pushed, since the stack may have no room, and no flag is changed.
 *
 * A call of clone(2) comes back twice, the second time in a thread of our own
 * (inject_own.c), with 0.  That one has nothing to go back to, so it ends; and
 * the calls that it makes for us, it makes before that:
 *
 *	own:	syscall
 *	out:	exit(0)
 *	entry:	syscall			clone
 *		mov %rax, %rcx
 *		jrcxz out		and so on as above
 *
 * The call in which the thread was interrupted is begun again by the kernel,
 * from orig_rax and rax, only on the way out of a stop, so the stub does that
 * too; a thread that was inside of a restartable sequence goes on at the abort
 * handler of the sequence, as after any preemption.  One thing is lost: a
 * signal that comes while the tracer dies does not end such a call with EINTR.
 *
 * WHERE.  The last page of an object's text is seldom full: what lies behind
 * the end of its segment in the file (p_filesz) belongs to nobody.  The vdso
 * has such room and is in nearly every process; any other object will do.
 * Only bytes that are zero are taken, and they are zero again when the thread
 * is let go.  A tracer that was killed leaves its stub behind, perhaps with a
 * thread in it.  The next one takes its room where it has all threads stopped
 * and sees none there; else the room below.
 */
#include "engine/process/inject_impl.h"

#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "engine/x86/x86_emit.h"
#include "proc/proc.h"
#include "proc/proc_fs.h"

#define STUB_MAX   192
#define STUB_ENTRY 16 /* behind mask and back; here `own` if there is one */
#define STUB_OUT   (STUB_ENTRY + 2)
#define STUB_TEXT  144 /* a string, behind the code */
#define PAGE       4096ull
#define MAX_PHDRS  64

/* The kernel's own, <linux/errno.h>. */
#define ERESTARTSYS           512
#define ERESTARTNOINTR        513
#define ERESTARTNOHAND        514
#define ERESTART_RESTARTBLOCK 516

/* ---- room ------------------------------------------------------------------
 */

/* A mapping of text, and where the ELF header of its object is. */
struct text_map {
	uint64_t lo, hi, ino, header;
	char dev[16];
	bool text, vdso;
};

/* The next mapping after *m. */
static void
text_map_set(struct text_map *m, const struct proc_map *p)
{
	bool same = p->ino == m->ino && strlen(m->dev) == p->devlen &&
		    memcmp(m->dev, p->dev, p->devlen) == 0;

	m->lo = p->lo;
	m->hi = p->hi;
	m->text = p->r && p->x && !p->shared;
	m->vdso = strcmp(p->path, "[vdso]") == 0;
	if (m->vdso || (p->ino != 0 && p->off == 0))
		m->header = m->lo;
	else if (p->ino == 0 || !same)
		m->header = 0;
	m->ino = p->ino;
	snprintf(m->dev, sizeof(m->dev), "%.*s", (int)p->devlen, p->dev);
}

/* The program headers of the object at addr; how many, 0: it is none. */
static size_t
read_phdrs(struct inject *in, uint64_t addr, Elf64_Phdr ph[MAX_PHDRS])
{
	Elf64_Ehdr h;
	size_t n;

	if (inject_read(in, addr, &h, sizeof(h)) != 0 ||
	    memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_phentsize != sizeof(*ph) ||
	    h.e_phoff > PAGE)
		return 0;
	n = h.e_phnum < MAX_PHDRS ? h.e_phnum : MAX_PHDRS;
	return inject_read(in, addr + h.e_phoff, ph, n * sizeof(*ph)) == 0 ? n
									   : 0;
}

/* The end of the segment whose last page is the end of that mapping; 0: the
   mapping is no such. */
static uint64_t
segment_end(struct inject *in, const struct text_map *m)
{
	Elf64_Phdr ph[MAX_PHDRS];
	size_t n = m->header != 0 ? read_phdrs(in, m->header, ph) : 0;
	uint64_t bias = 0, end;
	bool first = true;

	for (size_t i = 0; i < n; i++) {
		if (ph[i].p_type != PT_LOAD)
			continue;
		if (first)
			bias = m->header - (ph[i].p_vaddr & ~(PAGE - 1));
		first = false;
		end = bias + ph[i].p_vaddr + ph[i].p_memsz;
		if ((ph[i].p_flags & PF_X) != 0 && end > m->lo &&
		    end <= m->hi && m->hi - end < PAGE)
			return end;
	}
	return 0;
}

/* True if the bytes are the stub of a tracer that was killed. */
static bool
is_stub(const uint8_t *is)
{
	static const uint8_t begins[][9] = {
		{ 0x0f, 0x05, 0xb8, SYS_rt_sigprocmask, 0, 0, 0, 0xbf,
		  SIG_SETMASK },
		{ 0x0f, 0x05, 0xb8, SYS_exit, 0, 0, 0, 0xbf, 0 },
		/* inject_table.c: mov %rax, %r8; mov %rax, d(%rbp) */
		{ 0x0f, 0x05, 0x49, 0x89, 0xc0, 0x48, 0x89, 0x45, 0x68 },
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (memcmp(is + STUB_ENTRY, begins[i], sizeof(begins[i])) == 0)
			return true;
	return false;
}

/* All threads stand still, and none of them is there or will be when a signal
   handler returns. */
static bool
nobody_in(struct inject *in, uint64_t at)
{
	struct inject_frames f = { 0 };
	struct err ignored = { 0 };
	bool none = in->all && inject_frames_find(in, &f, &ignored) == 0;

	for (size_t i = 0; i < in->n && none; i++)
		none = in->threads[i].stopped &&
		       in->threads[i].regs.rip - at >= STUB_MAX;
	for (size_t i = 0; i < f.frame.n && none; i++)
		none = f.frame.v[i].pc - at >= STUB_MAX;
	inject_frames_fini(&f);
	return none;
}

/* Unused bytes behind the end of the segment, as far up as there are; 0: none.
 */
static uint64_t
room_in(struct inject *in, const struct text_map *m)
{
	static const uint8_t zero[STUB_MAX];
	uint64_t end, at = m->hi;
	uint8_t is[STUB_MAX];

	if (!m->text)
		return 0;
	end = segment_end(in, m);
	while (end != 0 && at - end >= STUB_MAX) {
		at -= STUB_MAX;
		if (inject_read(in, at, is, sizeof(is)) != 0)
			return 0;
		if (memcmp(is, zero, sizeof(is)) == 0 ||
		    (is_stub(is) && nobody_in(in, at)))
			return at;
	}
	return 0;
}

/* In the vdso, or else in any object. */
static uint64_t
find_room(struct inject *in, bool vdso)
{
	struct text_map m = { 0 };
	struct proc_maps it;
	struct proc_map p;
	uint64_t at = 0;

	if (!proc_maps_open(&it, in->pid))
		return 0;
	while (at == 0 && proc_maps_next(&it, &p)) {
		text_map_set(&m, &p);
		if (m.vdso == vdso)
			at = room_in(in, &m);
	}
	proc_maps_close(&it);
	return at;
}

/* ---- what is written there
 * --------------------------------------------------- */

/* The registers with which the thread goes on if it is let go now. */
static struct user_regs_struct
regs_going_on(const struct inject_thread *t, const struct inject_kept *k)
{
	struct user_regs_struct r = t->regs;

	if (r.orig_rax != ~0ull)
		switch (-(int64_t)r.rax) {
		case ERESTARTSYS:
		case ERESTARTNOINTR:
		case ERESTARTNOHAND:
			r.rax = r.orig_rax;
			r.rip -= 2;
			break;
		case ERESTART_RESTARTBLOCK:
			r.rax = SYS_restart_syscall;
			r.rip -= 2;
			break;
		}
	if (k->rseq_abort != 0)
		r.rip = k->rseq_abort;
	return r;
}

/* The part of a thread of our own. */
static void
stub_own(struct x86_buf *b)
{
	x86_syscall(b);
	x86_mov_ri(b, X86_RAX, SYS_exit);
	x86_mov_ri(b, X86_RDI, 0);
	x86_syscall(b);
}

/* It is that thread which has come back. */
static void
stub_part(struct x86_buf *b)
{
	uint8_t jrcxz[2] = { 0xe3 };

	x86_mov_rr(b, 8, X86_RCX, X86_RAX);
	jrcxz[1] = (uint8_t)(STUB_OUT - (b->n + sizeof(jrcxz)));
	x86_bytes(b, jrcxz, sizeof(jrcxz));
}

static uint32_t
stub_make(struct x86_buf *b, const struct user_regs_struct *r,
	  const struct inject_kept *k, bool clones)
{
	uint32_t entry;

	x86_u64(b, k->sigmask);
	x86_u64(b, r->rip);
	if (clones)
		stub_own(b);
	entry = b->n;
	x86_syscall(b);
	if (clones)
		stub_part(b);
	x86_mov_ri(b, X86_RAX, SYS_rt_sigprocmask);
	x86_mov_ri(b, X86_RDI, SIG_SETMASK);
	x86_lea(b, X86_RSI, x86_mrip(b->base));
	x86_mov_ri(b, X86_RDX, 0);
	x86_mov_ri(b, X86_R10, sizeof(k->sigmask));
	x86_syscall(b);
	x86_mov_ri(b, X86_RAX, r->rax);
	x86_mov_ri(b, X86_RCX, r->rcx);
	x86_mov_ri(b, X86_RDX, r->rdx);
	x86_mov_ri(b, X86_RSI, r->rsi);
	x86_mov_ri(b, X86_RDI, r->rdi);
	x86_mov_ri(b, X86_R8, r->r8);
	x86_mov_ri(b, X86_R9, r->r9);
	x86_mov_ri(b, X86_R10, r->r10);
	x86_mov_ri(b, X86_R11, r->r11);
	x86_jmp_m(b, x86_mrip(b->base + 8));
	return entry;
}

/* ---- the door
 * ---------------------------------------------------------------- */

int
inject_stub_place(struct inject *in, struct err *e)
{
	if (in->stub == 0)
		in->stub = find_room(in, true);
	if (in->stub == 0)
		in->stub = find_room(in, false);
	if (in->stub == 0)
		return err_set(e, &ERR_GENERIC, 0,
			       "process %d has no unused bytes in its text, "
			       "from where it could make calls for us",
			       (int)in->pid);
	return 0;
}

int
inject_stub_write(struct inject *in, const void *code, size_t n)
{
	return n <= STUB_MAX ? inject_write(in, in->stub, code, n) : -1;
}

int
inject_stub_put(struct inject *in, const struct inject_thread *t,
		const struct inject_kept *k, bool clones, uint64_t *entry,
		struct err *e)
{
	const struct user_regs_struct r = regs_going_on(t, k);
	uint8_t code[STUB_MAX];
	struct x86_buf b = { .p = code, .cap = sizeof(code) };
	uint32_t at;

	if (inject_stub_place(in, e) != 0)
		return -1;
	b.base = in->stub;
	at = stub_make(&b, &r, k, clones);
	if (b.full || (!clones && b.n > STUB_TEXT) ||
	    inject_stub_write(in, code, b.n) != 0) {
		in->stub = 0;
		return err_set(e, &ERR_GENERIC, 0,
			       "process %d: cannot write its text",
			       (int)in->pid);
	}
	*entry = in->stub + at;
	return 0;
}

uint64_t
inject_stub_own(const struct inject *in)
{
	return in->stub + STUB_ENTRY;
}

uint64_t
inject_stub_text(const struct inject *in)
{
	return in->stub + STUB_TEXT;
}

void
inject_stub_take(struct inject *in)
{
	static const uint8_t zero[STUB_MAX];

	if (in->stub != 0)
		inject_write(in, in->stub, zero, sizeof(zero));
	in->stub = 0;
}
