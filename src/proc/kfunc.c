/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kfunc.c - which functions of the kernel can be traced, and why others cannot.
 *
 * ftrace has a list of them, lines "name" or "name [module]", in the order of
 * their addresses; since Linux 6.5 there is one that tells the addresses too.
 * Static functions of several files may have one name: then it is there several
 * times.  Where such a one begins is told by the kernel's symbols of that name:
 * the one that the address belongs to, or, without addresses, the one that
 * stands at the same place among them, if there are as many.
 *
 * Nothing is read before it is asked for.  The files are in tracefs and
 * debugfs; where these are not mounted, mounts of our own, which nobody else
 * sees, show them (fsmount(2)).
 */
#include "proc/proc_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"

static const char core[] = "vmlinux";

#define PLACE_MAX 16 /* how far behind its beginning a function has ftrace */
#define TWINS_MAX 64 /* of one name in one module */

struct kfuncs {
	char *text;
	VEC(char *) later; /* texts of modules' that were loaded since */
	uint64_t seen;	   /* kmod_seen() when it was read */
	struct kfunc *v;
	size_t n, cap;
	bool failed;
	int sys; /* why */
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
		f->addr = strtoull(s, &p, 16);
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

/* In the text the module stands behind the name: both are one key. */
static size_t
kfunc_key_len(const struct kfunc *f)
{
	size_t n = strlen(f->name);

	return f->module == core ? n : n + 2 + strlen(f->module);
}

/* Which have a name that others have, and how manieth each is in its module. */
static bool
kfuncs_twins(struct kfuncs *k)
{
	struct hash *by_name = hash_new(), *counts = hash_new();
	bool ok = by_name != NULL && counts != NULL;

	for (size_t i = 0; ok && i < k->n; i++) {
		struct kfunc *f = &k->v[i];
		uintptr_t at = (uintptr_t)hash_find_str(by_name, f->name);
		size_t len = kfunc_key_len(f);

		f->nth = (uint32_t)(uintptr_t)hash_find(counts, f->name, len);
		if (at != 0)
			k->v[at - 1].twins = f->twins = true;
		ok = hash_set(counts, f->name, len,
			      (void *)(uintptr_t)(f->nth + 1)) == 0 &&
		     hash_set_str(by_name, f->name, (void *)(i + 1)) == 0;
	}
	for (size_t i = 0; ok && i < k->n; i++)
		k->v[i].of = (uint32_t)(uintptr_t)hash_find(
			counts, k->v[i].name, kfunc_key_len(&k->v[i]));
	hash_free(by_name);
	hash_free(counts);
	return ok;
}

/* With addresses where this kernel tells them. */
static char *
kfuncs_text(bool *addrs, int *sys)
{
	struct err e = { 0 };
	FILE *f = proc_tracefs_open("available_filter_functions_addrs", &e);
	char *text;

	*addrs = f != NULL;
	if (f == NULL) {
		err_clear(&e);
		f = proc_tracefs_open("available_filter_functions", &e);
	}
	text = kfunc_read(f);
	*sys = f == NULL ? e.sys : ENOMEM;
	return text;
}

static struct kfuncs *
kfuncs_load(void)
{
	struct kfuncs *k = calloc(1, sizeof(*k));
	bool addrs;

	if (k == NULL)
		return NULL;
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
	free(k->text);
	free(k->v);
	free(k);
}

/* Why the list cannot be read, and the cure. */
static const char *
kfunc_why(int sys)
{
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
	       "root too, as where the kernel is locked down or in a container "
	       "without CAP_SYS_ADMIN";
}

const struct kfunc *
kfunc_list(struct proc_set *ps, size_t *n, struct err *e)
{
	static const struct kfunc none;
	struct kfuncs *k = ps->kfuncs;

	if (k == NULL)
		k = ps->kfuncs = kfuncs_load();
	if (k == NULL || (k->failed && k->sys == ENOMEM)) {
		err_nomem(e);
		return NULL;
	}
	if (k->failed) {
		err_set(e, &ERR_GENERIC, k->sys,
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

/* What is of modules that are not in the list goes to its end: probes know their
   functions by number.  The text is the list's then. */
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
	bool addrs;
	int sys;

	if (k == NULL || k->failed || k->seen == seen)
		return 0;
	k->seen = seen;
	text = kfuncs_text(&addrs, &sys);
	return text != NULL ? kfuncs_append(k, text, addrs) : 0;
}

/* ---- addresses ----------------------------------------------------------- */

/* What the list tells is where ftrace's place is, a little behind the
   beginning: the symbol tells that. */
uint64_t
kfunc_addr(struct proc_set *ps, const struct kfunc *f)
{
	uint64_t at[TWINS_MAX];
	size_t n = ksym_functions(ps, f->module, f->name, at, TWINS_MAX);

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

/* Is there a line "0xADDR-0xADDR\tname" for it in a list of them? */
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
