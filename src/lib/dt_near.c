/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_near.c - a probe description that matches nothing: what is wrong with
 * it.  Asked when a program is about to be refused, so time is no object.  The
 * pid provider reports its own errors.
 *
 *   another tracer would write it so (foreign.def)
 *   the provider   is not there; or was given where the module stands
 *   the number     of a profile or tick probe cannot be; the provider says why
 *   the provider   is of processes: none is named, or none has it now, and
 *                  -Z would wait
 *   the name       is a function, and stands where the name does; or is another
 *                  tracer's word for entry or return
 *   the fields     of a process's function are three, as of a call of the
 *                  system
 *   one field      matches nothing beside the others, and another name would
 *   the module     of the kernel is not loaded, a part of the kernel itself, or
 *                  has no such function, which another has
 *
 * And a symbol of the kernel that nobody knows.
 */
#include "lib/dt_impl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/near.h"
#include "prov/prov.h"

#define FIELDS 4 /* provider, module, function, name */

struct near_walk {
	struct near near;
	unsigned field;
	struct probe *best;
};

static const char *
probe_field(const struct probe *p, unsigned field)
{
	const char *const v[FIELDS] = { p->prov, p->mod, p->func, p->name };

	return v[field];
}

static const char **
desc_field(struct dif_pdesc *pd, unsigned field)
{
	const char **v[FIELDS] = { &pd->prov, &pd->mod, &pd->func, &pd->name };

	return v[field];
}

static int
near_visit(void *arg, struct probe *p)
{
	struct near_walk *w = arg;
	const char *had = near_best(&w->near);

	near_try(&w->near, probe_field(p, w->field));
	if (near_best(&w->near) != had)
		w->best = p;
	return 0;
}

/* The nearest text of this field with which there would be a probe; NULL: none
   is near. */
static const char *
near_text(dtrace_hdl_t *dtp, const struct dif_pdesc *pd, unsigned field)
{
	struct dif_pdesc any = *pd;
	const char **text = desc_field(&any, field);
	struct near_walk w = { .field = field };
	struct err e = { 0 };

	if (**text == '\0' || probe_is_glob(*text))
		return NULL;
	near_init(&w.near, *text);
	*text = "";
	if (probe_match(dtp->probes, &any, near_visit, &w, &e) < 0)
		err_clear(&e);
	return w.best != NULL ? near_best(&w.near) : NULL;
}

/* The description with such a text instead; NULL if none is near. */
static char *
near_field(dtrace_hdl_t *dtp, const struct dif_pdesc *pd, unsigned field)
{
	struct dif_pdesc any = *pd;

	*desc_field(&any, field) = near_text(dtp, pd, field);
	if (*desc_field(&any, field) == NULL)
		return NULL;
	if (*any.prov == '\0' && *any.mod == '\0' && *any.func == '\0')
		return arena_printf(dtp->arena, " (did you mean %s?)",
				    any.name);
	return arena_printf(dtp->arena, " (did you mean %s:%s:%s:%s?)",
			    any.prov, any.mod, any.func, any.name);
}

/* pthon123 of process 123: the provider of that process that is near, and has
   the probe, is the hint; NULL: none is. */
static const char *
near_of_process(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	size_t n = strlen(pd->prov), end = n;
	struct near_walk w = { .field = 0 };
	struct dif_pdesc any = *pd;
	struct err e = { 0 };

	while (n > 0 && isdigit((unsigned char)pd->prov[n - 1]))
		n--;
	if (n == end || n == 0)
		return NULL;
	/* Longer than pid, which would find fault with the rest. */
	any.prov = arena_printf(dtp->arena, "????*%s", pd->prov + n);
	near_init(&w.near, pd->prov);
	if (any.prov == NULL ||
	    probe_match(dtp->probes, &any, near_visit, &w, &e) < 0)
		err_clear(&e);
	return near_best(&w.near);
}

/* A provider of other systems: what shows the same here; NULL if it is none. */
static const char *
near_other_system(const char *prov)
{
	static const char *const provs[][2] = {
#define ELSEWHERE(name, see) { name, see },
#include "lib/elsewhere.def"
#undef ELSEWHERE
	};

	for (size_t i = 0; i < sizeof(provs) / sizeof(*provs); i++)
		if (strcmp(prov, provs[i][0]) == 0)
			return provs[i][1];
	return NULL;
}

/* hotspot123: a library that the process opens later may have its probes. */
static const char *
near_later(const char *name)
{
	size_t n = strlen(name);

	return n > 1 && isdigit((unsigned char)name[n - 1]) &&
			       !isdigit((unsigned char)name[0]) ?
		       " yet (-Z waits for a library that has it)" :
		       "";
}

static char *
near_prov(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	const char *name = pd->prov, *of = near_of_process(dtp, pd), *hint;
	const char *see = near_other_system(name);
	char buf[NEAR_HINT_MAX];
	struct near n;

	if (see != NULL)
		return arena_printf(dtp->arena,
				    ": there is no provider %s on Linux: %s",
				    name, see);
	if (of != NULL)
		return arena_printf(dtp->arena,
				    ": there is no provider %s (did you mean "
				    "%s?)", name, of);
	near_init(&n, name);
#define PROV(p) near_try(&n, #p);
#include "prov/prov.def"
#undef PROV
	hint = near_hint(&n, buf);
	return arena_printf(dtp->arena, ": there is no provider %s%s", name,
			    *hint != '\0' ? hint : near_later(name));
}

/* ---- providers of processes ---------------------------------------------- */

static bool
near_any(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	struct near_walk w = { .field = 0 };
	struct err e = { 0 };
	int n;

	near_init(&w.near, "");
	n = probe_match(dtp->probes, pd, near_visit, &w, &e);
	if (n < 0)
		err_clear(&e);
	return n > 0;
}

/* The provider has probes, but not these: the field that no probe of it has;
   "" where each has some, but not together. */
static char *
near_which(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	static const char *const what[FIELDS] = { "", "module", "function",
						  "name" };

	for (unsigned i = 1; i < FIELDS; i++) {
		struct dif_pdesc one = { .prov = pd->prov,
					 .mod = "",
					 .func = "",
					 .name = "" };
		struct dif_pdesc have = *pd;
		const char *text = *desc_field(&have, i);

		*desc_field(&one, i) = text;
		if (*text != '\0' && !near_any(dtp, &one))
			return arena_printf(dtp->arena,
					    ": %s has no probe with the %s "
					    "%s%s", pd->prov, what[i], text,
					    i == 1 && probe_is_glob(text) ?
						    near_later(pd->prov) : "");
	}
	return arena_printf(dtp->arena, ": %s has no such probe", pd->prov);
}

/* "syscall:::openat": the name stands where the function should. */
static char *
near_function(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	struct dif_pdesc entry = { .prov = pd->prov, .mod = pd->mod,
				   .func = pd->name, .name = "entry" };

	if (*pd->func != '\0' || *pd->name == '\0' ||
	    probe_is_glob(pd->name) || !near_any(dtp, &entry))
		return NULL;
	return arena_printf(dtp->arena, " (did you mean %s:%s:%s:%s?)",
			    entry.prov, entry.mod, entry.func, entry.name);
}

/* A pattern of functions that has to begin and end somewhere else: names of C++
   have more at both ends. */
static const char *
near_within(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	struct dif_pdesc in = *pd;

	in.func = arena_printf(dtp->arena, "*%s*", pd->func);
	if (in.func == NULL || !near_any(dtp, &in))
		return "";
	return arena_printf(dtp->arena, " (did you mean %s?)", in.func);
}

/* A pattern of functions that fits none of an object's: how many it has. */
static char *
near_count(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	struct dif_pdesc all = { .prov = pd->prov, .mod = pd->mod, .func = "",
				 .name = "entry" };
	struct dif_pdesc same = all;
	struct near_walk w = { .field = 0 };
	struct err e = { 0 };
	int n;

	same.func = pd->func;
	if (!probe_is_glob(pd->func) || *pd->mod == '\0' ||
	    near_any(dtp, &same))
		return NULL;
	near_init(&w.near, "");
	n = probe_match(dtp->probes, &all, near_visit, &w, &e);
	if (n < 0)
		err_clear(&e);
	if (n <= 0)
		return arena_printf(dtp->arena, ": no function of %s is known "
				    "(it has no symbols)", pd->mod);
	return arena_printf(dtp->arena,
			    n == 1 ? ": the %d function of %s does not match "
				     "%s%s"
				   : ": none of the %d functions of %s matches "
				     "%s%s",
			    n, pd->mod, pd->func, near_within(dtp, pd));
}

/* A provider that is there, of processes: which field matches nothing, and
   what would. */
static char *
near_field_of(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	char *which = near_count(dtp, pd), *hint = NULL;

	if (which != NULL)
		return which;
	which = near_which(dtp, pd);
	for (unsigned i = FIELDS; hint == NULL && i-- > 1;)
		hint = near_field(dtp, pd, i);
	return arena_printf(dtp->arena, "%s%s", which != NULL ? which : "",
			    hint != NULL ? hint : "");
}

/* "myapp123", or a pattern: NULL if it is neither. */
static char *
near_process(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	struct dif_pdesc all = { .prov = pd->prov,
				 .mod = "",
				 .func = "",
				 .name = "" };
	size_t n = strlen(pd->prov), digits = 0;
	bool glob = probe_is_glob(pd->prov);

	while (digits < n && isdigit((unsigned char)pd->prov[n - digits - 1]))
		digits++;
	if (n == 0 || (!glob && (digits == 0 || digits == n)))
		return NULL;
	if (near_any(dtp, &all))
		return near_field_of(dtp, pd);
	if (glob)
		return arena_printf(dtp->arena,
				    ": neither the kernel nor a process has a "
				    "provider %s at the moment",
				    pd->prov);
	return NULL;
}

/* True if a module looks like an object of a program. */
static bool
near_is_object(const char *mod)
{
	return strcmp(mod, "a.out") == 0 || strchr(mod, '.') != NULL;
}

/* "usdt" or "plockstat": code that makes the probes of many providers.  "instr"
   alone is the kernel's. */
static char *
near_bare(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	const char *name = pd->prov;

	if (!probe_prov_of_processes(dtp->probes, name) ||
	    (strcmp(name, "instr") == 0 && !near_is_object(pd->mod)))
		return NULL;
	if (strcmp(name, "usdt") == 0)
		name = "PROVIDER";
	return arena_printf(dtp->arena,
			    ": its probes are those of processes: write "
			    "%s$target, %s123 or %s*",
			    name, name, name);
}

/* ---- other tracers ------------------------------------------------------- */

static const struct foreign_desc {
	const char *word;
	unsigned fields;
	const char *write;
} foreign_descs[] = {
#define FOREIGN(word, fields, write) { word, fields, write },
#include "lib/foreign.def"
#undef FOREIGN
};

static char *
foreign_write(dtrace_hdl_t *dtp, const char *text, const char *const *field)
{
	struct buf b = BUF_INIT;
	char *s;

	for (; *text != '\0'; text++)
		if (*text == '%')
			buf_printf(&b, "%s", field[*++text - '1']);
		else
			buf_printf(&b, "%c", *text);
	s = b.failed ? NULL
		     : arena_printf(dtp->arena, " (in D: %s)", buf_str(&b));
	buf_fini(&b);
	return s;
}

/* A call of the system that is named as a tracepoint, sys_enter_openat, or as
   in syscall.openat.return. */
static char *
near_call(dtrace_hdl_t *dtp, const char *call, size_t n, const char *name)
{
	const struct dif_pdesc pd = { .prov = "syscall",
				      .mod = "",
				      .func = arena_strndup(dtp->arena, call,
							    n),
				      .name = name };

	if (pd.func == NULL || n == 0 || !near_any(dtp, &pd))
		return NULL;
	return arena_printf(dtp->arena, " (in D: syscall::%s:%s)", pd.func,
			    name);
}

static char *
near_syscall(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	const char *s = pd->name;

	if (*s == '\0' && strcmp(pd->prov, "sdt") == 0 &&
	    strcmp(pd->mod, "syscalls") == 0)
		return arena_strdup(dtp->arena, " (in D: syscall:::)");
	if (strncmp(s, "sys_enter_", 10) == 0)
		return near_call(dtp, s + 10, strlen(s + 10), "entry");
	if (strncmp(s, "sys_exit_", 9) == 0)
		return near_call(dtp, s + 9, strlen(s + 9), "return");
	if (*pd->func != '\0' || strncmp(s, "syscall.", 8) != 0)
		return NULL;
	s += 8;
	return near_call(dtp, s, strcspn(s, "."),
			 strstr(s, ".return") != NULL ? "return" : "entry");
}

/* The word is the first field that is given, and all behind it are. */
static char *
near_foreign(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	const char *const v[FIELDS] = { pd->prov, pd->mod, pd->func, pd->name };
	unsigned first = 0;

	while (first < FIELDS && *v[first] == '\0')
		first++;
	for (unsigned i = first; i < FIELDS; i++)
		if (*v[i] == '\0')
			return NULL;
	for (size_t i = 0; first < FIELDS && i < sizeof(foreign_descs) /
						     sizeof(*foreign_descs);
	     i++) {
		const struct foreign_desc *f = &foreign_descs[i];

		if (f->fields == FIELDS - 1 - first &&
		    strcmp(f->word, v[first]) == 0)
			return foreign_write(dtp, f->write, &v[first + 1]);
	}
	return NULL;
}

/* The fields of what is no provider: which one is wrong, or misplaced. */
static char *
near_fields(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	char *hint = near_function(dtp, pd);

	for (unsigned i = FIELDS; hint == NULL && i-- > 1;)
		hint = near_field(dtp, pd, i);
	return hint;
}

/* "syscall:read:entry", which begins with the module. */
static char *
near_shifted(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	const struct dif_pdesc to = { .prov = pd->mod, .mod = "",
				      .func = pd->func, .name = pd->name };
	const char *hint;

	if (*pd->prov != '\0' || *pd->mod == '\0' ||
	    !probe_has_prov(dtp->probes, pd->mod))
		return NULL;
	hint = near_any(dtp, &to)
		       ? arena_printf(dtp->arena, " (did you mean %s::%s:%s?)",
				      to.prov, to.func, to.name)
		       : near_fields(dtp, &to);
	return arena_printf(dtp->arena, ": %s is a provider%s", to.prov,
			    hint != NULL ? hint : "");
}

/* "malloc:entry": a hint if it is a function of the target. */
static char *
near_of_target(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	char prov[24];
	struct dif_pdesc of = { .prov = prov, .mod = pd->mod,
				.func = pd->func, .name = pd->name };

	snprintf(prov, sizeof(prov), "pid%d", (int)dtp->target);
	if (*pd->name == '\0')
		of.name = "entry";
	if (dtp->target == 0 || *pd->prov != '\0' ||
	    !probe_is_exact(pd->func) || !near_any(dtp, &of))
		return NULL;
	return arena_printf(dtp->arena, " (did you mean pid$target:%s:%s:%s?)",
			    of.mod, of.func, of.name);
}

/* A function that nothing is known of. */
static char *
near_program(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	const char *name = *pd->name != '\0' ? pd->name : "entry";

	if (dtp->target != 0 || *pd->prov != '\0' ||
	    !probe_is_exact(pd->func) ||
	    (strcmp(name, "entry") != 0 && strcmp(name, "return") != 0))
		return NULL;
	return arena_printf(dtp->arena,
			    " (of a program: pid$target:%s:%s:%s, with -c or "
			    "-p)", pd->mod, pd->func, name);
}

/* "pid1:a.out:work", or "pid1::work": the last field is missing. */
static char *
near_short(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	const struct dif_pdesc to = { .prov = pd->mod, .mod = pd->func,
				      .func = pd->name, .name = "entry" };
	const char *pid = pd->mod + 3, *prov = pd->mod;

	if (*pd->prov != '\0' || strncmp(pd->mod, "pid", 3) != 0 ||
	    *pid == '\0' || pid[strspn(pid, "0123456789*")] != '\0')
		return NULL;
	if (dtp->target != 0 && atoi(pid) == (int)dtp->target)
		prov = "pid$target";
	if (*pid != '*' && near_any(dtp, &to))
		return arena_printf(dtp->arena, " (did you mean %s:%s:%s:%s?)",
				    prov, to.mod, to.func, to.name);
	return arena_printf(dtp->arena,
			    ": such a probe has four fields, "
			    "%s:OBJECT:FUNCTION:entry or :return", prov);
}

/* "syscall::read:exit": words for the two ends of a function. */
static char *
near_end(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	static const char *const words[][2] = {
		{ "exit", "return" },  { "ret", "return" },
		{ "leave", "return" }, { "end", "return" },
		{ "enter", "entry" },  { "begin", "entry" },
		{ "start", "entry" },  { "call", "entry" },
	};
	struct dif_pdesc to = *pd;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (*pd->func == '\0' || strcmp(pd->name, words[i][0]) != 0)
			continue;
		to.name = words[i][1];
		if (near_any(dtp, &to))
			return arena_printf(dtp->arena,
					    " (did you mean %s:%s:%s:%s?)",
					    to.prov, to.mod, to.func, to.name);
	}
	return NULL;
}

/* "99hz", "profile:::99hz": the provider's name is part of the probe's.  "tck-1s":
   which times there are the user says, so no list of probes has that one. */
static char *
near_rate(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	struct dif_pdesc to = *pd;
	struct near n;
	size_t word = strcspn(pd->name, "-_0123456789");
	const char *time = pd->name + word;
	const char *want = word == 0 ? "profile"
			: arena_strndup(dtp->arena, pd->name, word);

	if (want == NULL || (word == 0 && !isdigit((unsigned char)*time)))
		return NULL;
	near_init(&n, want);
	near_try(&n, "tick");
	near_try(&n, "profile");
	if ((*pd->prov != '\0' && strcmp(pd->prov, "profile") != 0) ||
	    near_best(&n) == NULL)
		return NULL;
	to.name = arena_printf(dtp->arena, "%s-%s", near_best(&n),
			       time + strspn(time, "-_"));
	if (to.name == NULL || !near_any(dtp, &to))
		return NULL;
	return arena_printf(dtp->arena, " (did you mean %s?)", to.name);
}

/* ---- the kernel ---------------------------------------------------------- */

/* True if it is a provider of the kernel's functions, or of instructions in
   them. */
static bool
near_has_functions(const char *prov)
{
	return strcmp(prov, "fbt") == 0 || strcmp(prov, "rawfbt") == 0 ||
	       strcmp(prov, "instr") == 0 || strcmp(prov, "kinst") == 0;
}

static int
near_visit_module(void *near, const char *name)
{
	near_try(near, name);
	return 0;
}

/* True if other systems call their kernel so. */
static bool
near_is_kernel(const char *mod)
{
	return strcmp(mod, "genunix") == 0 || strcmp(mod, "unix") == 0 ||
	       strcmp(mod, "kernel") == 0 || strcmp(mod, "mach_kernel") == 0;
}

/* A module that has no functions: why not. */
static char *
near_module(dtrace_hdl_t *dtp, const char *name)
{
	char buf[NEAR_HINT_MAX];
	struct near n;

	if (*name == '\0' || probe_is_glob(name) || probe_glob(name, "vmlinux"))
		return NULL;
	switch (kmod_state(name)) {
	case KMOD_LOADED:
		return NULL;
	case KMOD_BUILT_IN:
		return arena_printf(dtp->arena,
				    ": %s is built into this kernel: its "
				    "functions are those of vmlinux", name);
	case KMOD_ON_DISK:
		return arena_printf(dtp->arena, ": the module %s is not loaded",
				    name);
	case KMOD_UNKNOWN:
		break;
	}
	if (near_is_kernel(name))
		return arena_printf(dtp->arena, ": no module %s is loaded: the "
				    "kernel itself is vmlinux", name);
	near_init(&n, name);
	near_try(&n, "vmlinux");
	kmod_each(near_visit_module, &n);
	return arena_printf(dtp->arena, ": no module %s is loaded%s", name,
			    near_hint(&n, buf));
}

/* What a symbol of the kernel was probably meant to be.  Where the kernel does
   not have them all, one that is there must be very near. */
static const char *
near_ksym(dtrace_hdl_t *dtp, const char *mod, const char *name, bool some)
{
	struct ksym_info k;
	struct near n;

	near_init(&n, name);
	for (size_t i = 0; ksym_each(dtp->env.procs, &i, &k);)
		if (*mod == '\0' || strcmp(mod, k.module) == 0)
			near_try(&n, k.name);
	if (near_best(&n) == NULL || (some && n.steps > 1))
		return "";
	return arena_printf(dtp->arena, " (did you mean %s%s`%s?)",
			    some ? "the function " : "", mod, near_best(&n));
}

const char *
dt_near_symbol(dtrace_hdl_t *dtp, const char *mod, const char *name)
{
	const char *hint = NULL, *why;

	if (dtp->flags & DTRACE_O_NOSYS)
		return "";
	if (!near_is_object(mod))
		hint = near_module(dtp, mod);
	if (hint != NULL)
		return hint;
	why = ksym_why(dtp->env.procs);
	hint = near_ksym(dtp, mod, name, why != NULL);
	if (why != NULL && hint != NULL)
		hint = arena_printf(dtp->arena, ": %s%s", why, hint);
	return hint != NULL ? hint : "";
}

static int
near_visit_first(void *arg, struct probe *p)
{
	struct near_walk *w = arg;

	if (w->best == NULL)
		w->best = p;
	return 0;
}

/* What is named is in another module: that one's name.  NULL: in none. */
static const char *
near_elsewhere(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	struct dif_pdesc any = *pd;
	struct near_walk w = { .field = 1 };
	struct err e = { 0 };

	any.mod = "";
	if (!probe_is_exact(pd->mod) ||
	    (*pd->func == '\0' && *pd->name == '\0'))
		return NULL;
	if (probe_match(dtp->probes, &any, near_visit_first, &w, &e) < 0)
		err_clear(&e);
	return w.best != NULL ? w.best->mod : NULL;
}

/* The functions are there; NULL: the probes have another name. */
static char *
near_in_functions(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	bool all = *pd->func == '\0';

	if (strcmp(pd->prov, "instr") != 0 && strcmp(pd->prov, "kinst") != 0)
		return NULL;
	return arena_printf(dtp->arena,
			    ": no instruction%s%s that can be probed is %s",
			    all ? "" : " of ", pd->func,
			    *pd->name != '\0' ? pd->name : "known");
}

/* "fbt::vfs_read:4": an offset, as functions of processes have it. */
static char *
near_offset(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	const char *s = pd->name;

	if (*s == '\0' || *pd->func == '\0' ||
	    s[strspn(s, "0123456789")] != '\0' ||
	    strcmp(pd->prov, "fbt") != 0)
		return NULL;
	return arena_printf(dtp->arena,
			    ": fbt has entry and return; an instruction is "
			    "kinst:%s:%s:%s", pd->mod, pd->func, s);
}

/* Functions of the kernel, and instructions in them.  All instructions are too
   many to look through: functions are those of fbt. */
static char *
near_kernel(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	struct dif_pdesc fn = { .prov = "fbt", .mod = pd->mod,
				.func = pd->func, .name = "entry" };
	const char *text;
	char *hint;

	if (!near_has_functions(pd->prov))
		return NULL;
	hint = near_module(dtp, pd->mod);
	if (hint != NULL)
		return hint;
	if (near_any(dtp, &fn)) {
		hint = near_offset(dtp, pd);
		return hint != NULL ? hint : near_in_functions(dtp, pd);
	}
	if ((text = near_text(dtp, &fn, 2)) != NULL)
		fn.func = text;
	else if ((text = near_elsewhere(dtp, &fn)) != NULL)
		fn.mod = text;
	else
		return near_which(dtp, pd);
	return arena_printf(dtp->arena, " (did you mean %s:%s:%s:%s?)",
			    pd->prov, fn.mod, fn.func, pd->name);
}

/* A provider that is there: what it has elsewhere, or has not.  Tracepoints
   have a group, and no function. */
static char *
near_rest(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	struct dif_pdesc in = { .prov = pd->prov, .mod = pd->func, .func = "",
				.name = pd->name };
	const char *mod;

	if (!probe_is_exact(pd->prov))
		return NULL;
	if (*pd->mod == '\0' && *pd->func != '\0' && near_any(dtp, &in))
		mod = pd->func;
	else
		mod = near_elsewhere(dtp, pd);
	if (mod == NULL)
		return near_which(dtp, pd);
	return arena_printf(dtp->arena, " (did you mean %s:%s:%s:%s?)",
			    pd->prov, mod, mod == pd->func ? "" : pd->func,
			    pd->name);
}

static const char *
near_probe(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	char *hint = NULL;
	const char *why;

	if (pd->id != 0)
		return NULL;
	hint = near_syscall(dtp, pd);
	if (hint == NULL)
		hint = near_foreign(dtp, pd);
	if (hint != NULL)
		return hint;
	why = *pd->prov == '\0' || strcmp(pd->prov, "profile") == 0
		      ? prov_profile_why_not(pd->name)
		      : NULL;
	if (why != NULL)
		return arena_printf(dtp->arena, ": %s", why);
	hint = near_rate(dtp, pd);
	if (hint == NULL)
		hint = near_end(dtp, pd);
	if (hint == NULL)
		hint = near_short(dtp, pd);
	if (hint == NULL)
		hint = near_shifted(dtp, pd);
	if (hint == NULL)
		hint = near_bare(dtp, pd);
	if (hint == NULL)
		hint = near_process(dtp, pd);
	if (hint != NULL)
		return hint;
	if (*pd->prov != '\0' && !probe_is_glob(pd->prov) &&
	    !probe_has_prov(dtp->probes, pd->prov))
		return near_prov(dtp, pd);
	hint = near_of_target(dtp, pd);
	if (hint == NULL)
		hint = near_kernel(dtp, pd);
	if (hint == NULL)
		hint = near_fields(dtp, pd);
	if (hint == NULL)
		hint = near_rest(dtp, pd);
	return hint != NULL ? hint : near_program(dtp, pd);
}

/* Probes that a command does not have: a program that it executes may. */
static const char *
near_may_exec(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	for (struct ps_prochandle *p = dtp->procs; p != NULL; p = p->next) {
		struct proc *proc = p->target.proc;
		char pid[16];
		size_t n, len = strlen(pd->prov);

		n = (size_t)snprintf(pid, sizeof(pid), "%d",
				     (int)proc_pid(proc));
		if (len > n && strcmp(pd->prov + len - n, pid) == 0 &&
		    !isdigit((unsigned char)pd->prov[len - n - 1]))
			return proc_may_exec(proc);
	}
	return "";
}

const char *
dt_near_probe(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	const char *hint = near_probe(dtp, pd), *more;

	if (pd->id != 0 ||
	    (hint != NULL && strstr(hint, "did you mean") != NULL))
		return hint;
	more = near_may_exec(dtp, pd);
	return *more == '\0' ? hint
			     : arena_printf(dtp->arena, "%s%s",
					    hint != NULL ? hint : "", more);
}
