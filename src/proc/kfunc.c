/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kfunc.c - which functions of the kernel can be traced, and why others cannot.
 *
 * ftrace has a list of them, lines "name" or "name [module]", in the order of
 * their addresses; since Linux 6.5 there is one that has the addresses too.
 * Static functions of several files may have one name: then it is there several
 * times.  An address there is that of ftrace's place, which is the function's
 * beginning, or stands behind its first instruction where that one is endbr;
 * the kernel's text says which.  Where neither is known, symbols of that name
 * are asked: the one that the address belongs to, or, without addresses, the
 * one that stands at the same place among them, if there are as many.
 *
 * Nothing is read before it is asked for.  The files are in tracefs and
 * debugfs; where these are not mounted, mounts of our own, which nobody else
 * sees, show them (fsmount(2)).
 */
#include "proc/proc_impl.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"

static const char core[] = "vmlinux";

#define PLACE_MAX 16 /* how far behind its beginning a function has ftrace */
#define TWINS_MAX 64 /* of one name in one module */
#define WINDOW	  (16u << 10) /* bytes of the kernel's text that are kept */
#define FIRST	  4	      /* bytes of a first instruction that is endbr */
#define ALIGNED	  16	      /* where functions begin */

struct kfuncs {
	char *text;
	VEC(char *) later; /* texts of modules' that were loaded since */
	uint64_t seen;	   /* kmod_seen() when it was read */
	struct kfunc *v;
	size_t n, cap;
	bool failed;
	int sys; /* why */
	uint64_t at; /* of the window */
	uint8_t *window; /* NULL: not read yet */
	bool blind; /* the text cannot be read */
	bool only_names; /* addresses have not been asked for yet */
};

bool
kfunc_can_be_probed(void)
{
	return access("/sys/bus/event_source/devices/kprobe/type", R_OK) == 0;
}

/* ---- files --------------------------------------------------------------- */

/* All of it, with a NUL behind; NULL with errno.  Closes f, which may be NULL:
   errno is what it was. */
static char *
kfunc_read(FILE *f)
{
	size_t n = 0, cap = 0, got;
	char *buf = NULL;

	if (f == NULL)
		return NULL;
	do {
		if (cap - n < 65536 + 1) {
			char *p = realloc(buf, cap = 2 * cap + (1u << 20));
			if (p == NULL) {
				free(buf);
				fclose(f);
				errno = ENOMEM;
				return NULL;
			}
			buf = p;
		}
		got = fread(buf + n, 1, cap - n - 1, f);
		n += got;
	} while (got > 0);
	fclose(f);
	buf[n] = '\0';
	return buf;
}

/* ---- the list ------------------------------------------------------------ */

/* "[ffffffff81000000 ]name[ [module]]", cut in place; false: not such. */
static bool
kfunc_line(char *s, bool addrs, struct kfunc *f)
{
	char *p;

	*f = (struct kfunc){ .module = core };
	if (addrs) {
		p = s;
		f->addr = ksym_hex(&p);
		if (p == s || *p != ' ')
			return false;
		s = p + 1;
	}
	f->name = s;
	p = strchr(s, ' ');
	if (p != NULL) {
		*p++ = '\0';
		if (*p == '[' && p[strlen(p) - 1] == ']') {
			p[strlen(p) - 1] = '\0';
			f->module = p + 1;
		}
	}
	/* A place that ftrace knows by no name of a function's. */
	return *s != '\0' && strncmp(s, "__ftrace_invalid_address", 24) != 0;
}

static bool
kfuncs_parse(struct kfuncs *k, bool addrs)
{
	for (char *s = k->text, *nl; *s != '\0'; s = nl + 1) {
		struct kfunc f;

		nl = strchr(s, '\n');
		if (nl == NULL)
			break;
		*nl = '\0';
		if (kfunc_line(s, addrs, &f) && !vec_push(k, f))
			return false;
	}
	return true;
}

/* The last function of each name, by which earlier ones are found. */
struct twins {
	struct kfunc *v;
	uint32_t *slots; /* open addressing: number + 1, 0 is free */
	size_t mask;
	uint32_t *before; /* of each: the one before of its name, + 1 */
};

static bool
twins_same_module(const struct kfunc *a, const struct kfunc *b)
{
	return a->module == b->module || strcmp(a->module, b->module) == 0;
}

static void
twins_add(struct twins *t, uint32_t i)
{
	struct kfunc *f = &t->v[i];
	size_t h = hash_bytes(f->name, strlen(f->name)) & t->mask;
	uint32_t at;

	while (t->slots[h] != 0 &&
	       strcmp(t->v[t->slots[h] - 1].name, f->name) != 0)
		h = (h + 1) & t->mask;
	t->before[i] = at = t->slots[h];
	t->slots[h] = i + 1;
	f->twins = at != 0;
	if (at != 0)
		t->v[at - 1].twins = true;
	while (at != 0 && !twins_same_module(&t->v[at - 1], f))
		at = t->before[at - 1];
	f->nth = at != 0 ? t->v[at - 1].nth + 1 : 0;
	f->of = 0;
}

/* The last of its name in its module says how many there are. */
static void
twins_count(struct twins *t, uint32_t i)
{
	struct kfunc *f = &t->v[i];

	if (f->of != 0)
		return;
	f->of = f->nth + 1;
	for (uint32_t at = t->before[i]; at != 0; at = t->before[at - 1])
		if (twins_same_module(&t->v[at - 1], f))
			t->v[at - 1].of = f->of;
}

/* Which have a name that others have, and how manieth each is in its module. */
static bool
kfuncs_twins(struct kfuncs *k)
{
	struct twins t = { .v = k->v };
	size_t slots = 64;
	bool ok;

	while (slots < 2 * k->n)
		slots *= 2;
	t.mask = slots - 1;
	t.slots = calloc(slots, sizeof(*t.slots));
	t.before = calloc(k->n + 1, sizeof(*t.before));
	ok = t.slots != NULL && t.before != NULL;
	for (uint32_t i = 0; ok && i < k->n; i++)
		twins_add(&t, i);
	for (uint32_t i = (uint32_t)k->n; ok && i-- > 0;)
		twins_count(&t, i);
	free(t.slots);
	free(t.before);
	return ok;
}

/* With addresses where they are wanted and this kernel has them. */
static char *
kfuncs_text(bool *addrs, int *sys)
{
	struct err e = { 0 };
	FILE *f = !*addrs ? NULL :
		proc_tracefs_open("available_filter_functions_addrs", &e);
	char *text;

	*addrs = f != NULL;
	if (f == NULL) {
		err_clear(&e);
		f = proc_tracefs_open("available_filter_functions", &e);
	}
	text = kfunc_read(f);
	*sys = f == NULL ? e.sys : ENOMEM; /* 0: it is locked down */
	return text;
}

static struct kfuncs *
kfuncs_load(bool only_names)
{
	struct kfuncs *k = calloc(1, sizeof(*k));
	bool addrs = !only_names;

	if (k == NULL)
		return NULL;
	k->only_names = only_names;
	k->seen = kmod_seen();
	k->text = kfuncs_text(&addrs, &k->sys);
	k->failed = k->text == NULL;
	if (!k->failed && (!kfuncs_parse(k, addrs) || !kfuncs_twins(k))) {
		k->failed = true;
		k->sys = ENOMEM;
	}
	return k;
}

void
kfuncs_free(struct kfuncs *k)
{
	if (k == NULL)
		return;
	for (size_t i = 0; i < k->later.n; i++)
		free(k->later.v[i]);
	vec_fini(&k->later);
	free(k->window);
	free(k->text);
	free(k->v);
	free(k);
}

/* Why the list cannot be read, and the cure. */
static const char *
kfunc_why(int sys)
{
	if (sys == 0)
		return "it is locked down (lockdown=confidentiality), which "
		       "refuses that to root too";
	if (sys == ENOENT || sys == ENODEV)
		return "it has no list of them (available_filter_functions; "
		       "CONFIG_FUNCTION_TRACER)";
	if (sys != EPERM && sys != EACCES)
		return "the list of them (available_filter_functions) cannot "
		       "be read";
	if (geteuid() != 0)
		return "only root may read the list of them "
		       "(available_filter_functions)";
	return "the list of them (available_filter_functions) is refused to "
	       "root too, as by a security module or in a container "
	       "without CAP_SYS_ADMIN";
}

const struct kfunc *
kfunc_list(struct proc_set *ps, size_t *n, struct err *e)
{
	static const struct kfunc none;
	struct kfuncs *k = ps->kfuncs;

	if (k == NULL)
		k = ps->kfuncs = kfuncs_load(ps->only_names);
	if (k == NULL || (k->failed && k->sys == ENOMEM)) {
		err_nomem(e);
		return NULL;
	}
	if (k->failed) {
		err_set(e, err_refused(k->sys), k->sys,
			"functions of this kernel cannot be traced: %s",
			kfunc_why(k->sys));
		return NULL;
	}
	*n = k->n;
	return k->v != NULL ? k->v : &none;
}

/* The modules whose functions are in the list; NULL: no memory. */
static struct hash *
kfuncs_modules(struct kfuncs *k)
{
	struct hash *h = hash_new();
	const char *last = "";

	for (size_t i = 0; h != NULL && i < k->n; i++) {
		if (strcmp(k->v[i].module, last) == 0)
			continue;
		last = k->v[i].module;
		if (hash_set_str(h, last, k) != 0) {
			hash_free(h);
			return NULL;
		}
	}
	return h;
}

/* What is of modules that are not in the list goes to its end: probes know
   their functions by number.  The text is the list's then. */
static int
kfuncs_append(struct kfuncs *k, char *text, bool addrs)
{
	struct kfuncs all = { .text = text };
	struct hash *had;
	bool ok;

	if (!vec_push(&k->later, text)) {
		free(text);
		return -1;
	}
	had = kfuncs_modules(k);
	ok = had != NULL && kfuncs_parse(&all, addrs);

	for (size_t i = 0; ok && i < all.n; i++)
		if (hash_find_str(had, all.v[i].module) == NULL)
			ok = vec_push(k, all.v[i]);
	free(all.v);
	hash_free(had);
	return ok && kfuncs_twins(k) ? 0 : -1;
}

int
kfunc_refresh(struct proc_set *ps)
{
	struct kfuncs *k = ps->kfuncs;
	uint64_t seen = kmod_seen();
	char *text;
	bool addrs = k != NULL && !k->only_names;
	int sys;

	if (k == NULL || k->failed || k->seen == seen)
		return 0;
	k->seen = seen;
	text = kfuncs_text(&addrs, &sys);
	return text != NULL ? kfuncs_append(k, text, addrs) : 0;
}

/* ---- addresses ----------------------------------------------------------- */

/* The text in front of addr, FIRST bytes; NULL: it cannot be had. */
static const uint8_t *
kfunc_before(struct proc_set *ps, uint64_t addr)
{
	struct kfuncs *k = ps->kfuncs;
	const uint64_t from = addr - FIRST;
	struct err none = { 0 };

	if (k->blind)
		return NULL;
	if (k->window != NULL && from >= k->at && addr <= k->at + WINDOW)
		return k->window + (from - k->at);
	if (k->window == NULL && (k->window = malloc(WINDOW)) == NULL)
		return NULL;
	k->at = from;
	if (ktext_read(ps, from, k->window, WINDOW, &none) == 0)
		return k->window;
	/* Such is the end of the text: these bytes alone, for this once. */
	k->at = 0;
	k->blind = ktext_read(ps, from, k->window, FIRST, &none) != 0;
	return k->blind ? NULL : k->window;
}

/* True if it is endbr64, or what the kernel puts there where no pointer leads
   to a function (nopw (%rax), later nopl -42(%rax)). */
static bool
kfunc_endbr(const uint8_t *p)
{
	static const uint8_t rows[][FIRST] = {
		{ 0xf3, 0x0f, 0x1e, 0xfa },
		{ 0x66, 0x0f, 0x1f, 0x00 },
		{ 0x0f, 0x1f, 0x40, 0xd6 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (memcmp(p, rows[i], FIRST) == 0)
			return true;
	return false;
}

void
kfunc_only_names(struct proc_set *ps)
{
	ps->only_names = true;
}

/* Addresses are wanted after all.  The list is the same as far as it says the
   same names; what a module has changed behind that stays without. */
static void
kfuncs_tell(struct kfuncs *k)
{
	struct kfuncs now = { 0 };
	bool addrs = true;
	int sys;

	k->only_names = false;
	now.text = kfuncs_text(&addrs, &sys);
	if (now.text == NULL)
		return;
	if (!addrs || !kfuncs_parse(&now, addrs))
		now.n = 0;
	for (size_t i = 0; i < now.n && i < k->n &&
			   strcmp(now.v[i].name, k->v[i].name) == 0 &&
			   twins_same_module(&now.v[i], &k->v[i]);
	     i++)
		k->v[i].addr = now.v[i].addr;
	free(now.v);
	free(now.text);
}

uint64_t
kfunc_begin(struct proc_set *ps, const struct kfunc *f)
{
	if (ps->kfuncs->only_names)
		kfuncs_tell(ps->kfuncs);
	const uint8_t *p = f->addr > FIRST ? kfunc_before(ps, f->addr) : NULL;

	if (p == NULL || ktext_machine(ps) != EM_X86_64)
		return 0;
	if (kfunc_endbr(p))
		return f->addr - FIRST;
	return f->addr % ALIGNED == 0 ? f->addr : 0;
}

uint64_t
kfunc_addr(struct proc_set *ps, const struct kfunc *f)
{
	uint64_t at[TWINS_MAX], begin = kfunc_begin(ps, f);
	size_t n;

	if (begin != 0)
		return begin;
	n = ksym_functions(ps, f->module, f->name, at, TWINS_MAX);
	for (size_t i = 0; f->addr != 0 && i < n && i < TWINS_MAX; i++)
		if (at[i] <= f->addr && f->addr - at[i] <= PLACE_MAX)
			return at[i];
	return f->addr == 0 && n == f->of && n <= TWINS_MAX ? at[f->nth] : 0;
}

/* True if the list has such a function of the kernel itself. */
static bool
kfunc_listed(const struct kfuncs *k, const char *name)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].module == core && strcmp(k->v[i].name, name) == 0)
			return true;
	return false;
}

const char *
kfunc_other_name(struct proc_set *ps, const char *name)
{
	const struct kfuncs *k = ps->kfuncs;
	struct ksym_info s;
	uint64_t addr;
	size_t i = 0;

	if (k == NULL || ksym_by_name(ps, core, name, &addr) != 0 || addr == 0)
		return NULL;
	while (ksym_each(ps, &i, &s))
		if (s.addr == addr && strcmp(s.name, name) != 0 &&
		    kfunc_listed(k, s.name))
			return s.name;
	return NULL;
}

/* ---- why not ------------------------------------------------------------- */

/* True if there is a line "0xADDR-0xADDR\tname" for it in a list of them. */
static bool
kfunc_in_lines(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = text; (p = strstr(p, name)) != NULL; p += len)
		if (p != text && (p[-1] == '\t' || p[-1] == ' ') &&
		    (p[len] == '\n' || p[len] == '\0'))
			return true;
	return false;
}

const char *
kfunc_why_not(struct proc_set *ps, const char *module, const char *name)
{
	struct err none = { 0 };
	uint64_t addr;
	char *text;
	bool listed;

	if (ksym_by_name(ps, module, name, &addr) != 0)
		return NULL;
	text = kfunc_read(proc_debugfs_open("kprobes/blacklist", &none));
	listed = text != NULL && kfunc_in_lines(text, name);
	free(text);
	return listed ? "it is in the kernel's blacklist of kprobes"
		      : "the kernel keeps no place for ftrace in it (notrace, "
			"noinstr, its startup, or data)";
}
