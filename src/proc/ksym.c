/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ksym.c - the kernel's symbols, from /proc/kallsyms.
 *
 * Reading that file takes the kernel tens of milliseconds, so it is done when
 * the first symbol is asked for.  The text stays as it was read; a table of
 * (address, place in the text) is sorted by address, which the kernel has
 * nearly done.  An index by name is made when the first name is asked for.
 * When addresses are hidden from this process (kernel.kptr_restrict) the
 * kernel prints zeros, and there are no symbols.
 */
#include "proc/proc_impl.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VMLINUX "vmlinux"

struct ksym {
	uint64_t addr;
	const char *name;
	const char *module; /* NULL: the core kernel */
	char type;
};

struct ksyms {
	char *text;
	struct ksym *v;
	size_t n, cap;
	uint32_t *index; /* open addressing: entry + 1, 0 is free */
	size_t mask;
	struct ksyms *old; /* read before, whose names may be in use */
};

/* *text is NULL where the file cannot be read.  False: no memory. */
static bool
ksyms_read(char **text, size_t *len)
{
	size_t n = 0, cap = 0;
	char *buf = NULL;
	ssize_t got;
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);

	*text = NULL;
	if (fd < 0)
		return true;
	do {
		if (cap - n < 65536 + 1) {
			char *p = realloc(buf, cap = 2 * cap + (4u << 20));

			if (p == NULL) {
				free(buf);
				close(fd);
				return false;
			}
			buf = p;
		}
		got = read(fd, buf + n, cap - n - 1);
		if (got > 0)
			n += (size_t)got;
	} while (got > 0);
	close(fd);
	buf[n] = '\0';
	*len = n;
	*text = buf;
	return true;
}

uint64_t
ksym_hex(char **ps)
{
	uint64_t v = 0;
	char *s = *ps;

	for (;; s++) {
		unsigned c = (unsigned char)*s, d = c - '0';

		if (d > 9)
			d = (c | 0x20) - 'a' + 10;
		if (d > 15 || (c > '9' && d < 10))
			break;
		v = v << 4 | d;
	}
	*ps = s;
	return v;
}

/* "ffffffff81000000 T _stext" or "... t name\t[module]"; cuts it in place. */
static bool
ksym_line(char *s, char *end, struct ksym *k)
{
	char *tab;

	k->addr = ksym_hex(&s);
	if (end - s < 4 || s[0] != ' ' || s[2] != ' ')
		return false;
	k->type = s[1];
	k->name = s + 3;
	k->module = NULL;
	*end = '\0';
	tab = memchr(s + 3, '\t', (size_t)(end - s - 3));
	if (tab != NULL) {
		*tab = '\0';
		if (tab[1] == '[' && end[-1] == ']') {
			end[-1] = '\0';
			k->module = tab + 2;
		}
	}
	/* Absolute symbols are offsets, not places. */
	return k->addr != 0 && k->type != 'a' && k->type != 'A';
}

/* Global before local at one address, then the shorter name. */
static int
ksym_cmp(const void *va, const void *vb)
{
	const struct ksym *a = va, *b = vb;
	size_t la, lb;
	int d;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	d = ((a->type & 0x20) != 0) - ((b->type & 0x20) != 0);
	if (d != 0)
		return d;
	la = strlen(a->name);
	lb = strlen(b->name);
	if (la != lb)
		return la < lb ? -1 : 1;
	return strcmp(a->name, b->name);
}

static bool
ksyms_parse(struct ksyms *k, size_t len)
{
	char *s = k->text, *end = k->text + len, *nl;

	k->cap = len / 32 + 16;
	k->v = malloc(k->cap * sizeof(*k->v));
	for (; k->v != NULL && s < end; s = nl + 1) {
		struct ksym sym;

		nl = memchr(s, '\n', (size_t)(end - s));
		if (nl == NULL)
			break;
		if (!ksym_line(s, nl, &sym))
			continue;
		if (!vec_push(k, sym))
			return false;
	}
	if (k->v == NULL)
		return false;
	qsort(k->v, k->n, sizeof(*k->v), ksym_cmp);
	return true;
}

static void
ksyms_free_one(struct ksyms *k)
{
	free(k->index);
	free(k->v);
	free(k->text);
	free(k);
}

/* The table; NULL: no memory.  A hidden kernel has an empty one. */
static struct ksyms *
ksyms_get(struct proc_set *ps)
{
	struct ksyms *k = ps->ksyms;
	size_t len = 0;

	if (k != NULL)
		return k;
	k = calloc(1, sizeof(*k));
	if (k == NULL)
		return NULL;
	if (!ksyms_read(&k->text, &len) ||
	    (k->text != NULL && !ksyms_parse(k, len))) {
		ksyms_free_one(k);
		return NULL;
	}
	k->old = ps->ksyms_old;
	ps->ksyms = k;
	return k;
}

void
ksyms_free(struct ksyms *k)
{
	for (struct ksyms *old; k != NULL; k = old) {
		old = k->old;
		ksyms_free_one(k);
	}
}

void
ksym_refresh(struct proc_set *ps)
{
	if (ps->ksyms == NULL)
		return;
	ps->ksyms_old = ps->ksyms;
	ps->ksyms = NULL;
}

static bool
ksyms_index(struct ksyms *k)
{
	size_t size = 64;

	if (k->index != NULL)
		return true;
	while (size < 2 * k->n)
		size *= 2;
	k->index = calloc(size, sizeof(*k->index));
	if (k->index == NULL)
		return false;
	k->mask = size - 1;
	for (size_t i = 0; i < k->n; i++) {
		const char *name = k->v[i].name;
		size_t h = hash_bytes(name, strlen(name)) & k->mask;

		while (k->index[h] != 0)
			h = (h + 1) & k->mask;
		k->index[h] = (uint32_t)i + 1;
	}
	return true;
}

int
ksym_load(struct proc_set *ps, struct err *e)
{
	struct ksyms *k = ksyms_get(ps);

	return k != NULL && ksyms_index(k) ? 0 : err_nomem(e);
}

static bool
ksym_in(const struct ksym *s, const char *module)
{
	if (module == NULL || module[0] == '\0')
		return true;
	return strcmp(s->module != NULL ? s->module : VMLINUX, module) == 0;
}

int
ksym_by_name(struct proc_set *ps, const char *module, const char *name,
	     uint64_t *addr)
{
	struct ksyms *k = ksyms_get(ps);
	const struct ksym *best = NULL;

	if (k == NULL || !ksyms_index(k))
		return -1;
	for (size_t h = hash_bytes(name, strlen(name)) & k->mask;
	     k->index[h] != 0; h = (h + 1) & k->mask) {
		const struct ksym *s = &k->v[k->index[h] - 1];

		if (strcmp(s->name, name) != 0 || !ksym_in(s, module))
			continue;
		/* Of several, the core kernel's, and the global one. */
		if (best == NULL ||
		    (best->module != NULL && s->module == NULL) ||
		    ((best->module == NULL) == (s->module == NULL) &&
		     (best->type & 0x20) != 0 && (s->type & 0x20) == 0))
			best = s;
	}
	if (best == NULL)
		return -1;
	*addr = best->addr;
	return 0;
}

/* True if the kernel has no symbols of variables.  Every kernel has
   init_task. */
static bool
ksyms_functions_only(struct proc_set *ps)
{
	uint64_t addr;

	return ksym_by_name(ps, VMLINUX, "init_task", &addr) != 0;
}

const char *
ksym_why(struct proc_set *ps)
{
	struct ksyms *k = ksyms_get(ps);

	if (k == NULL)
		return NULL;
	if (k->n == 0)
		return "the kernel hides the addresses of its symbols from "
		       "this process (kernel.kptr_restrict)";
	if (ksyms_functions_only(ps))
		return "this kernel keeps symbols of its functions only, none "
		       "of variables (CONFIG_KALLSYMS_ALL is not set)";
	return NULL;
}

/* The index was filled by address: those of one name are met in that order. */
size_t
ksym_functions(struct proc_set *ps, const char *module, const char *name,
	       uint64_t *at, size_t cap)
{
	struct ksyms *k = ksyms_get(ps);
	size_t n = 0;

	if (k == NULL || !ksyms_index(k))
		return 0;
	for (size_t h = hash_bytes(name, strlen(name)) & k->mask;
	     k->index[h] != 0; h = (h + 1) & k->mask) {
		const struct ksym *s = &k->v[k->index[h] - 1];

		if (strcmp(s->name, name) != 0 || !ksym_in(s, module) ||
		    ((s->type | 0x20) != 't' && (s->type | 0x20) != 'w'))
			continue;
		if (n++ < cap)
			at[n - 1] = s->addr;
	}
	return n;
}

/* The first symbol beyond addr. */
static size_t
ksyms_above(const struct ksyms *k, uint64_t addr)
{
	size_t lo = 0, hi = k->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool
ksym_at(struct proc_set *ps, uint64_t addr, char *kind, uint64_t *size)
{
	struct ksyms *k = ksyms_get(ps);
	size_t next = k != NULL ? ksyms_above(k, addr) : 0, i = next;

	while (i > 0 && k->v[i - 1].addr == addr)
		i--;
	if (i == next)
		return false;
	*kind = k->v[i].type;
	*size = next < k->n ? k->v[next].addr - addr : 0;
	return true;
}

/* True if what follows a symbol is code.  Behind the last of the core kernel's
   are its variables. */
static bool
ksym_is_code(const struct ksym *s)
{
	return ((s->type | 0x20) == 't' || (s->type | 0x20) == 'w') &&
	       (s->module != NULL || strcmp(s->name, "_etext") != 0);
}

/* Where variables have no symbols, what stands before one is another's. */
bool
ksym_by_addr(struct proc_set *ps, uint64_t addr, const char **module,
	     const char **name, uint64_t *off)
{
	struct ksyms *k = ksyms_get(ps);
	size_t lo = k != NULL ? ksyms_above(k, addr) : 0;

	if (lo == 0)
		return false;
	/* The preferred one of those at the same address comes first. */
	lo--;
	while (lo > 0 && k->v[lo - 1].addr == k->v[lo].addr)
		lo--;
	if (addr != k->v[lo].addr && !ksym_is_code(&k->v[lo]) &&
	    ksyms_functions_only(ps))
		return false;
	if (module != NULL)
		*module = k->v[lo].module != NULL ? k->v[lo].module : VMLINUX;
	if (name != NULL)
		*name = k->v[lo].name;
	if (off != NULL)
		*off = addr - k->v[lo].addr;
	return true;
}

bool
ksym_each(struct proc_set *ps, size_t *i, struct ksym_info *out)
{
	const struct ksyms *k = ksyms_get(ps);
	const struct ksym *s;

	if (k == NULL || *i >= k->n)
		return false;
	s = &k->v[(*i)++];
	*out = (struct ksym_info){ .addr = s->addr,
				   .name = s->name,
				   .module = s->module != NULL ? s->module
							       : VMLINUX,
				   .kind = s->type };
	return true;
}
