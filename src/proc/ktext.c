/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ktext.c - the text of the running kernel, and which places in it must not be
 * probed.
 *
 * The bytes are those of /proc/kcore, an ELF file of all memory whose program
 * headers say where which addresses are.  What its packages have would not do:
 * the kernel has rewritten itself since.
 *
 * It goes on doing so at jump labels and static calls; tables of its own say
 * where (relative addresses, struct jump_entry and struct static_call_site).
 * Those of modules are not known here: at these the kernel refuses probes.  The
 * blacklist of kprobes are ranges of addresses.
 */
#include "proc/proc_impl.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PHDRS_MAX 4096
#define TABLE_MAX (64u << 20) /* bytes of a table; more is none */

struct range {
	uint64_t lo, hi;
};

struct ktext {
	int fd, sys; /* -1: why it cannot be opened */
	unsigned machine; /* EM_* */
	Elf64_Phdr *ph;
	size_t nph;
	bool asked; /* for what follows */
	VEC(struct range) bad; /* sorted: the blacklist, and places rewritten */
};

/* ---- bytes --------------------------------------------------------------- */

/* 0, or an errno. */
static int
ktext_headers(struct ktext *t)
{
	Elf64_Ehdr eh;
	size_t n;

	if (pread(t->fd, &eh, sizeof(eh), 0) != (ssize_t)sizeof(eh) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 ||
	    eh.e_phentsize != sizeof(Elf64_Phdr) || eh.e_phnum > PHDRS_MAX)
		return EIO;
	t->machine = eh.e_machine;
	n = eh.e_phnum * sizeof(Elf64_Phdr);
	t->ph = malloc(n + 1);
	if (t->ph == NULL)
		return ENOMEM;
	t->nph = eh.e_phnum;
	return pread(t->fd, t->ph, n, (off_t)eh.e_phoff) == (ssize_t)n ? 0
								       : EIO;
}

static struct ktext *
ktext_get(struct proc_set *ps)
{
	struct ktext *t = ps->ktext;

	if (t != NULL)
		return t;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	t->sys = t->fd < 0 ? errno : ktext_headers(t);
	if (t->fd >= 0 && t->sys != 0) {
		close(t->fd);
		t->fd = -1;
	}
	if (t->sys == ENOMEM) {
		ktext_free(t);
		return NULL;
	}
	return ps->ktext = t;
}

void
ktext_free(struct ktext *t)
{
	if (t == NULL)
		return;
	if (t->fd >= 0)
		close(t->fd);
	vec_fini(&t->bad);
	free(t->ph);
	free(t);
}

static const char *
ktext_why(int sys)
{
	switch (sys) {
	case ENOENT: return "it has no /proc/kcore (CONFIG_PROC_KCORE)";
	case EACCES: return "/proc/kcore is root's";
	case EPERM:
		return "/proc/kcore takes CAP_SYS_RAWIO, and a kernel that is "
		       "not locked down";
	default: return "/proc/kcore cannot be read";
	}
}

int
ktext_read(struct proc_set *ps, uint64_t addr, void *buf, size_t n,
	   struct err *e)
{
	const struct ktext *t = ktext_get(ps);

	if (t == NULL)
		return err_nomem(e);
	if (t->fd < 0)
		return err_set(e, err_refused(t->sys), t->sys,
			       "the text of this kernel cannot be read: %s",
			       ktext_why(t->sys));
	for (size_t i = 0; i < t->nph; i++) {
		const Elf64_Phdr *h = &t->ph[i];
		uint64_t at = addr - h->p_vaddr;

		if (h->p_type != PT_LOAD || addr < h->p_vaddr ||
		    at >= h->p_memsz || n > h->p_memsz - at)
			continue;
		if (pread(t->fd, buf, n, (off_t)(h->p_offset + at)) ==
		    (ssize_t)n)
			return 0;
	}
	return err_set(e, &ERR_GENERIC, EFAULT,
		       "/proc/kcore has nothing at 0x%llx",
		       (unsigned long long)addr);
}

unsigned
ktext_machine(struct proc_set *ps)
{
	const struct ktext *t = ktext_get(ps);

	return t != NULL ? t->machine : EM_NONE;
}

/* ---- places that must not be probed -------------------------------------- */

static int
range_cmp(const void *va, const void *vb)
{
	const struct range *a = va, *b = vb;

	return a->lo < b->lo ? -1 : a->lo > b->lo;
}

/* "0xffffffff81000000-0xffffffff81000010\tname" */
static bool
bad_listed(struct ktext *t)
{
	struct err none = { 0 };
	FILE *f = proc_debugfs_open("kprobes/blacklist", &none);
	char line[512];
	bool ok = true;

	while (ok && f != NULL && fgets(line, sizeof(line), f) != NULL) {
		char *p;
		struct range r = { .lo = strtoull(line, &p, 16) };

		if (*p != '-')
			continue;
		r.hi = strtoull(p + 1, NULL, 16);
		if (r.lo < r.hi)
			ok = vec_push(&t->bad, r);
	}
	if (f != NULL)
		fclose(f);
	return ok;
}

/* A table whose entries, of so many bytes, begin with how far a place is from
   there. */
static bool
bad_table(struct proc_set *ps, const char *from, const char *to, size_t each)
{
	struct ktext *t = ps->ktext;
	struct err none = { 0 };
	uint64_t lo, hi;
	uint8_t *v;
	bool ok = true;

	if (ksym_by_name(ps, "vmlinux", from, &lo) != 0 ||
	    ksym_by_name(ps, "vmlinux", to, &hi) != 0 || hi <= lo ||
	    hi - lo > TABLE_MAX)
		return true;
	v = malloc(hi - lo);
	if (v == NULL)
		return false;
	if (ktext_read(ps, lo, v, hi - lo, &none) == 0)
		for (uint64_t at = 0; ok && at + each <= hi - lo; at += each) {
			int32_t far;

			memcpy(&far, v + at, sizeof(far));
			/* A static call has two flags in its key alone. */
			struct range r = { .lo = lo + at + (uint64_t)far };
			r.hi = r.lo + 1;
			ok = vec_push(&t->bad, r);
		}
	free(v);
	return ok;
}

/* All of them are known; half of them would be worse than none. */
static int
bad_find(struct proc_set *ps, struct ktext *t, struct err *e)
{
	t->bad.n = 0;
	if (ksym_load(ps, e) != 0)
		return -1;
	if (!bad_listed(t) ||
	    !bad_table(ps, "__start___jump_table", "__stop___jump_table", 16) ||
	    !bad_table(ps, "__start_static_call_sites",
		       "__stop_static_call_sites", 8))
		return err_nomem(e);
	if (t->bad.n > 1)
		qsort(t->bad.v, t->bad.n, sizeof(*t->bad.v), range_cmp);
	t->asked = true;
	return 0;
}

int
ktext_bad(struct proc_set *ps, uint64_t addr, struct err *e)
{
	struct ktext *t = ktext_get(ps);
	size_t lo = 0, hi;

	if (t == NULL)
		return err_nomem(e);
	if (!t->asked && bad_find(ps, t, e) != 0)
		return -1;
	for (hi = t->bad.n; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->bad.v[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* Ranges of the blacklist may lie around a place. */
	for (size_t i = lo, k = 0; i-- > 0 && k < 8; k++)
		if (addr < t->bad.v[i].hi)
			return 1;
	return 0;
}
