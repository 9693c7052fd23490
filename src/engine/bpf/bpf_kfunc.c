/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_kfunc.c - programs to functions of the kernel.
 *
 *   fentry, fexit   a program for each function, which the kernel calls from
 *                   a trampoline of its own.  They fire in the shortest time;
 *                   each costs a program to be checked and code to be changed.
 *   kprobe_multi    one program and one link for all functions, by ftrace
 *   kprobe          a perf event for each function; a breakpoint where ftrace
 *                   has no place
 *   instruction     the same at an instruction anywhere in a function: nothing
 *                   else can
 *
 * The first while there are few, else the second, or what this kernel has
 * (decision 0064).  A function that the kernel refuses is an error if a clause
 * names the probe; of what a pattern matched it is left out.
 */
#include "engine/bpf/bpf_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/hash.h"

/* More functions than these: one program for all; the second where there is no
   kprobe_multi. */
#define FENTRY_MAX   8
#define FENTRY_ALONE 64
/* Without kprobe_multi: the kernel waits for a grace period for each that it
   removes. */
#define KPROBE_MAX 1024
/* Functions of a pattern's that the kernel may refuse. */
#define REFUSED_MAX 64
/* Instructions, which are added one by one. */
#define KINSN_MAX 1024
/* Functions of a program that are attached in two parts. */
#define PARTS_MIN 256
/* Functions that are attached by one link: the kernel lets nothing else run on
   the CPU meanwhile (decision 107). */
#define STRETCH 12000

#define FUNCTIONS                                                              \
	(1u << DIF_SITE_KENTRY | 1u << DIF_SITE_KRETURN |                      \
	 1u << DIF_SITE_KEXIT | 1u << DIF_SITE_KINSN)

struct bpf_kfunc {
	uint32_t nsites; /* functions that clauses enable, entry and return */
	bool asked_btf;
	struct btf *btf;  /* NULL: this kernel has none */
	int multi;        /* 1: kprobe_multi is there, 0: it is not,
			     -1: not tried yet */
	int fentry_sys;   /* why fentry was refused */
	uint32_t refused; /* left out; the last for this reason */
	int refused_sys;
};

/* ---- what this kernel has ------------------------------------------------ */

static struct bpf_kfunc *
kfunc_get(struct engine *eng)
{
	struct bpf_kfunc *k = eng->kfunc;

	if (k != NULL)
		return k;
	k = eng->kfunc = calloc(1, sizeof(*k));
	if (k == NULL)
		return NULL;
	k->multi = -1;
	for (size_t i = 0; i < eng->places.n; i++)
		k->nsites += eng->places.v[i].kind == DIF_SITE_KENTRY ||
			     eng->places.v[i].kind == DIF_SITE_KRETURN;
	return k;
}

void
bpf_kfunc_free(struct engine *eng)
{
	if (eng->kfunc != NULL)
		btf__free(eng->kfunc->btf);
	free(eng->kfunc);
	eng->kfunc = NULL;
}

/* The id of the only function of that name; 0: there is none. */
static uint32_t
kfunc_btf_id(struct bpf_kfunc *k, const char *name)
{
	uint32_t id = 0;

	if (!k->asked_btf) {
		k->asked_btf = true;
		k->btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
		if (libbpf_get_error(k->btf))
			k->btf = NULL;
	}
	for (uint32_t i = 1; k->btf != NULL && i < btf__type_cnt(k->btf); i++) {
		const struct btf_type *t = btf__type_by_id(k->btf, i);
		if (!btf_is_func(t) ||
		    strcmp(btf__name_by_offset(k->btf, t->name_off), name) != 0)
			continue;
		if (id != 0)
			return 0;
		id = i;
	}
	return id;
}

/* A program that does nothing; -1 with errno. */
static int
kfunc_load_empty(uint32_t type, uint32_t attach_type, uint32_t btf_id)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = R0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const struct sys_prog p = {
		.type = type,
		.attach_type = attach_type,
		.attach_btf_id = btf_id,
		.name = "probe",
		.insns = code,
		.ninsns = sizeof(code) / sizeof(*code),
	};

	return sys_prog_load(&p);
}

/* A link to nothing is refused differently where the kind is known. */
static bool
kfunc_try_multi(void)
{
	const struct sys_kprobes none = { .n = 0 };
	int fd = kfunc_load_empty(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI,
				  0);
	int link, sys;

	if (fd < 0)
		return false;
	link = sys_link_kprobes(fd, &none);
	sys = errno;
	if (link >= 0)
		close(link);
	close(fd);
	return link >= 0 || sys == EINVAL;
}

static bool
kfunc_multi(struct bpf_kfunc *k)
{
	if (k->multi < 0)
		k->multi = kfunc_try_multi();
	return k->multi != 0;
}

/*
 * What maps take and do while a program runs.  The kernel keeps a typed program
 * from interrupting itself, and no other: two of them, each in a map whose lock
 * the other is at, would wait for each other with interrupts off.  The other
 * ways in have one guard for all programs of a CPU, but for those at
 * tracepoints: a program of ours does not fire here within another one
 * (bpf_prog.c, claim_alone()).
 */
static bool
kfunc_within(const char *fn)
{
	static const char *const parts[] = {
		"raw_spin_", "raw_read_", "raw_write_", "bpf",
		"htab_", "pcpu_freelist", "_storage_",
	};
	const char *queued = strstr(fn, "queued_");

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(fn, parts[i]) != NULL)
			return true;
	return queued != NULL && strstr(queued, "lock") != NULL;
}

bool
bpf_kfunc_alone(const struct dif_site *s)
{
	return (FUNCTIONS & 1u << s->kind) != 0 && s->tp != NULL &&
	       kfunc_within(s->tp);
}

/* Loading one shows whether the kernel can: it knows how many arguments of
   which kinds its trampolines take, and which functions must not have one. */
bool
bpf_have_fentry(struct engine *eng, const struct dif_site *s, uint32_t *btf_id)
{
	struct bpf_kfunc *k = kfunc_get(eng);
	int fd;

	if (k == NULL ||
	    (s->kind != DIF_SITE_KEXIT &&
	     k->nsites > (kfunc_multi(k) ? FENTRY_MAX : FENTRY_ALONE)) ||
	    s->mod != NULL || s->twins || kfunc_within(s->tp))
		return false;
	*btf_id = kfunc_btf_id(k, s->tp);
	if (*btf_id == 0)
		return false;
	fd = kfunc_load_empty(BPF_PROG_TYPE_TRACING,
			      s->kind == DIF_SITE_KENTRY ? BPF_TRACE_FENTRY
							 : BPF_TRACE_FEXIT,
			      *btf_id);
	if (fd < 0) {
		k->fentry_sys = errno;
		return false;
	}
	close(fd);
	return true;
}

bool
bpf_have_kprobe_multi(struct engine *eng, const struct dif_site *s,
		      uint32_t *btf_id)
{
	struct bpf_kfunc *k = kfunc_get(eng);

	return k != NULL && kfunc_multi(k);
}

bool
bpf_have_kprobe(struct engine *eng, const struct dif_site *s, uint32_t *btf_id)
{
	return sys_pmu_number("kprobe", "type") >= 0;
}

int
bpf_kfunc_refused(struct engine *eng, const struct dif_probe *pr, struct err *e)
{
	int sys = eng->kfunc != NULL ? eng->kfunc->fentry_sys : 0;

	if (pr->sites[0].kind == DIF_SITE_KINSN)
		return err_set(e, &ERR_GENERIC, 0,
			       "%s:%s:%s:%s: instructions of this kernel "
			       "cannot be traced: it has no kprobes "
			       "(CONFIG_KPROBE_EVENTS)",
			       pr->prov, pr->mod, pr->func, pr->name);
	if (pr->sites[0].kind == DIF_SITE_KEXIT)
		return err_set(e, &ERR_GENERIC, 0,
			       "%s:%s:%s:%s: arguments at the return of a "
			       "function take fexit, which is %s%s",
			       pr->prov, pr->mod, pr->func, pr->name,
			       sys != 0 ? "refused: " : "not there",
			       sys != 0 ? strerror(sys) : "");
	return err_set(
		e, &ERR_GENERIC, 0,
		"%s:%s:%s:%s: functions of this kernel cannot be traced: "
		"it has no kprobes (CONFIG_KPROBE_EVENTS), and fentry is "
		"%s%s",
		pr->prov, pr->mod, pr->func, pr->name,
		sys != 0 ? "refused: " : "not there",
		sys != 0 ? strerror(sys) : "");
}

/* ---- attaching ----------------------------------------------------------- */

/* Functions of one program that are attached in one call. */
struct kfunc_set {
	struct engine *eng;
	const struct bpf_prog *c;
	bool ret;
	struct err *e;
	bool by_name; /* else by addrs */
	const char **syms;
	uint64_t *addrs, *cookies;
	uint32_t n;
};

static int
kfunc_keep(struct engine *eng, int fd, struct err *e)
{
	if (vec_push(&eng->links, fd))
		return 0;
	close(fd);
	return err_nomem(e);
}

static int
kfunc_error(const struct engine *eng, const struct bpf_prog *c, uint64_t elem,
	    int sys, struct err *e)
{
	const struct dif_site *s = c->places.v[elem]->site;
	const struct dif_probe *p = &eng->en->probes[c->sites.v[elem]->probe];
	const char *why =
		sys == ESRCH || sys == ENOENT ? "there is none, or it cannot be "
						"traced"
		: sys == EINVAL ? "it cannot be traced (kprobes blacklist, "
				  "notrace)"
				: strerror(sys);

	if (s->kind == DIF_SITE_KINSN)
		return err_set(e, &ERR_GENERIC, sys,
			       "%s:%s:%s:%s: the kernel refuses a probe at "
			       "that instruction: %s",
			       p->prov, p->mod, p->func, p->name,
			       sys == EILSEQ ? "to it none begins there "
					       "(another tracer may have "
					       "changed what stands before it)"
					     : strerror(sys));
	return err_set(e, &ERR_GENERIC, sys,
		       "%s:%s:%s:%s: the kernel refuses its function %s: %s",
		       p->prov, p->mod, p->func, p->name, s->tp, why);
}

/* The kernel does not take the function of an element: an error, or it is left
   out. */
static int
kfunc_fail(struct engine *eng, const struct bpf_prog *c, uint64_t elem, int sys,
	   struct err *e)
{
	struct bpf_kfunc *k = kfunc_get(eng);
	bool insn = c->places.v[elem]->site->kind == DIF_SITE_KINSN;

	if (k == NULL || sys == ENOMEM || sys == EMFILE)
		return bpf_feat_error(e, sys,
				      "cannot trace functions of the "
				      "kernel");
	if (!dif_probe_named(eng->en, c->sites.v[elem]->probe) &&
	    (++k->refused <= REFUSED_MAX || insn)) {
		k->refused_sys = sys;
		return 0;
	}
	return kfunc_error(eng, c, elem, sys, e);
}

int
bpf_attach_kfunc(struct engine *eng, const struct bpf_prog *c, struct err *e)
{
	int fd = sys_raw_tp_open(c->fd, NULL, 0);

	return fd >= 0 ? kfunc_keep(eng, fd, e)
		       : kfunc_fail(eng, c, 0, errno, e);
}

/* True if its name would do for a function. */
static bool
kfunc_named(const struct kfunc_set *k, uint32_t at)
{
	return k->c->places.v[k->cookies[at]]->site->addr == 0;
}

/* Attach elements [at, at + n) of the set in one call; if the kernel refuses,
   halves of them, down to the functions that it does not take. */
static int
kfunc_link(const struct kfunc_set *k, uint32_t at, uint32_t n)
{
	const struct sys_kprobes a = {
		.syms = k->by_name ? k->syms + at : NULL,
		.addrs = k->by_name ? NULL : k->addrs + at,
		.cookies = k->cookies + at,
		.n = n,
		.ret = k->ret,
	};
	int fd = sys_link_kprobes(k->c->fd, &a);

	if (fd >= 0)
		return kfunc_keep(k->eng, fd, k->e);
	if (n == 1 && !k->by_name && kfunc_named(k, at)) {
		struct kfunc_set name = *k;
		name.by_name = true;
		return kfunc_link(&name, at, 1);
	}
	if (n == 1)
		return kfunc_fail(k->eng, k->c, k->cookies[at], errno, k->e);
	if (errno != ESRCH && errno != ENOENT && errno != EINVAL)
		return bpf_feat_error(k->e, errno,
				      "cannot trace functions of "
				      "the kernel");
	return kfunc_link(k, at, n / 2) != 0 ||
			       kfunc_link(k, at + n / 2, n - n / 2) != 0
		       ? -1
		       : 0;
}

/*
 * While the kernel attaches tens of thousands of functions, those that it runs
 * for each of them fire some twenty times as often as there are functions, if
 * they are attached already; and each firing calls functions that fire within
 * it.  So these come last, by links of their own, and are the first to go.
 */
static bool
kfunc_busy(const char *fn)
{
	static const struct {
		const char *text;
		size_t n;
	} heads[] = {
#define BUSY(head) { head, sizeof(head) - 1 },
#include "engine/bpf/bpf_kbusy.def"
#undef BUSY
	};

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (fn[0] == heads[i].text[0] &&
		    strncmp(fn, heads[i].text, heads[i].n) == 0)
			return true;
	return false;
}

/* True if the program's functions come in two parts. */
static bool
kfunc_parts(const struct bpf_prog *c)
{
	return c->sites.n >= PARTS_MIN;
}

/* Of the busy functions, or of the others, those whose address is known, or
   those whose is not. */
static int
kfunc_attach_set(struct kfunc_set *k, bool busy, bool by_name)
{
	const struct bpf_prog *c = k->c;

	k->n = 0;
	k->by_name = by_name;
	for (uint32_t i = 0; i < c->sites.n; i++) {
		const struct dif_site *s = c->places.v[i]->site;
		const uint64_t at = s->addr != 0 ? s->addr : s->fn;
		if (!c->sites.v[i]->first || (at == 0) != by_name ||
		    (kfunc_parts(c) && kfunc_busy(s->tp)) != busy)
			continue;
		k->syms[k->n] = s->tp;
		k->addrs[k->n] = at;
		k->cookies[k->n++] = i;
	}
	for (uint32_t at = 0; at < k->n; at += STRETCH)
		if (kfunc_link(k, at, k->n - at < STRETCH ? k->n - at
							  : STRETCH) != 0)
			return -1;
	return 0;
}

static int
kfunc_attach_multi(struct engine *eng, const struct bpf_prog *c, bool busy,
		   struct err *e)
{
	size_t n = c->sites.n;
	struct kfunc_set k = {
		.eng = eng,
		.c = c,
		.ret = (c->class->sites & 1u << DIF_SITE_KRETURN) != 0,
		.e = e,
		.syms = calloc(n + 1, sizeof(*k.syms)),
		.addrs = calloc(n + 1, sizeof(*k.addrs)),
		.cookies = calloc(n + 1, sizeof(*k.cookies)),
	};
	int rc;

	if (k.syms == NULL || k.addrs == NULL || k.cookies == NULL)
		rc = err_nomem(e);
	else
		rc = kfunc_attach_set(&k, busy, false) != 0 ||
				     kfunc_attach_set(&k, busy, true) != 0
			     ? -1
			     : 0;
	free(k.syms);
	free(k.addrs);
	free(k.cookies);
	return rc;
}

int
bpf_attach_functions(struct engine *eng, const struct bpf_prog *c,
		     struct err *e)
{
	return kfunc_attach_multi(eng, c, false, e);
}

int
bpf_kfunc_last(struct engine *eng, struct err *e)
{
	for (size_t i = 0; i < eng->progs.n; i++) {
		const struct bpf_prog *c = eng->progs.v[i];
		if (c->fd >= 0 && c->class->attach == bpf_attach_functions &&
		    kfunc_parts(c) && kfunc_attach_multi(eng, c, true, e) != 0)
			return -1;
	}
	return 0;
}

/* ---- by perf events ------------------------------------------------------ */

/* The link holds the event, whose own descriptor need not stay open. */
static int
kfunc_event(struct engine *eng, const struct bpf_prog *c, uint32_t elem,
	    bool ret, struct err *e)
{
	const struct dif_site *s = c->places.v[elem]->site;
	long type = sys_pmu_number("kprobe", "type"),
	     bit = sys_pmu_number("kprobe", "format/retprobe");
	int fd = sys_perf_kprobe((uint32_t)type,
				 ret ? 1ull << (bit < 0 ? 0 : bit) : 0,
				 s->addr != 0 ? NULL : s->tp, s->addr);
	int link, sys;

	if (fd < 0)
		return kfunc_fail(eng, c, elem, errno, e);
	link = sys_link_perf(c->fd, fd, elem);
	sys = errno;
	if (link >= 0 && sys_perf_enable(fd) != 0) {
		sys = errno;
		close(link);
		link = -1;
	}
	close(fd);
	return link < 0 ? bpf_feat_error(e, sys, "cannot attach to a kprobe")
			: kfunc_keep(eng, link, e);
}

static int
kfunc_attach_perf(struct engine *eng, const struct bpf_prog *c, bool ret,
		  struct err *e)
{
	if (hash_count(c->byfn) > KPROBE_MAX)
		return err_set(e, &ERR_GENERIC, 0,
			       "%zu functions of the kernel are too many: this "
			       "one has no kprobe_multi (Linux 5.18, "
			       "CONFIG_FPROBE), without which %u are the most",
			       hash_count(c->byfn), KPROBE_MAX);
	bpf_attach_nofile();
	for (uint32_t i = 0; i < c->sites.n; i++)
		if (c->sites.v[i]->first && kfunc_event(eng, c, i, ret, e) != 0)
			return -1;
	return 0;
}

int
bpf_attach_kprobe_perf(struct engine *eng, const struct bpf_prog *c,
		       struct err *e)
{
	return kfunc_attach_perf(eng, c, false, e);
}

int
bpf_attach_kretprobe_perf(struct engine *eng, const struct bpf_prog *c,
			  struct err *e)
{
	return kfunc_attach_perf(eng, c, true, e);
}

/* Those that the kernel refuses are left out, but not all of them. */
int
bpf_attach_kinsn(struct engine *eng, const struct bpf_prog *c, struct err *e)
{
	size_t links = eng->links.n;
	uint32_t last = 0;

	if (hash_count(c->byfn) > KINSN_MAX)
		return err_set(e, &ERR_GENERIC, 0,
			       "%zu instructions of the kernel are too many: %u "
			       "are the most",
			       hash_count(c->byfn), KINSN_MAX);
	bpf_attach_nofile();
	for (uint32_t i = 0; i < c->sites.n; i++) {
		if (!c->sites.v[i]->first)
			continue;
		last = i;
		if (kfunc_event(eng, c, i, false, e) != 0)
			return -1;
	}
	return eng->links.n != links ? 0 : kfunc_error(eng, c, last,
							eng->kfunc->refused_sys,
							e);
}

/* ---- what was missed ----------------------------------------------------- */

/* What was missed before tracing began is no drop. */
void
bpf_kfunc_misses(struct engine *eng)
{
	uint64_t sum = 0, n;

	if (eng->kfunc == NULL && eng->tps != BPF_TPS_MANY)
		return;
	for (size_t i = 0; i < eng->progs.n; i++) {
		const struct bpf_class *k = eng->progs.v[i]->class;
		if (((k->sites & FUNCTIONS) != 0 ||
		     k->attach == bpf_attach_raw_tps) &&
		    sys_prog_misses(eng->progs.v[i]->fd, &n) == 0)
			sum += n;
	}
	if (!eng->begun) {
		eng->begun = true;
		eng->missed = sum;
	}
	eng->view.rt[0]->drops[RT_DROP_MISSED] = sum - eng->missed;
}

/* ---- what was done ------------------------------------------------------- */

void
bpf_kfunc_report(struct engine *eng, struct buf *out)
{
	const char *sep = "functions of the kernel: ";

	for (size_t i = 0, end; i < eng->progs.n; i = end) {
		const struct bpf_class *k = eng->progs.v[i]->class;
		size_t n = 0;
		for (end = i;
		     end < eng->progs.n && eng->progs.v[end]->class == k; end++)
			n += eng->progs.v[end]->byfn != NULL
				     ? hash_count(eng->progs.v[end]->byfn)
				     : 1;
		if ((k->sites & FUNCTIONS) == 0)
			continue;
		buf_printf(out, "%s%zu by %s", sep, n, k->name);
		sep = ", ";
	}
	if (sep[0] != ',')
		return;
	if (eng->kfunc != NULL && eng->kfunc->refused != 0)
		buf_printf(out, "; %u that the kernel refuses are left out",
			   eng->kfunc->refused);
	buf_printf(out, "\n");
}
