/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_syscall.c - entry and return of every system call.
 *
 * The tables are ours (syscall.def, and sysnr.def for the machine's numbers),
 * so listing and typing the calls needs neither privilege nor the kernel's type
 * data.  A call that the running
 * kernel does not have is listed and never fires.
 *
 * At entry the arguments are still in the user's registers; at return arg0 and
 * arg1 are the result, -1 if the call failed (errno then says why), as the
 * guide's chapter "syscall Provider" has it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "prov/prov.h"

#define SYSCALL_MODULE "vmlinux"

/* The rows of syscall.def. */
enum syscall_row {
#define SYSCALL(name, ret, args) ROW_##name,
#include "prov/syscall.def"
#undef SYSCALL
};

static const struct {
	const char *ret, *args; /* types as D text */
} types[] = {
#define SYSCALL(name, ret, args) { ret, args },
#include "prov/syscall.def"
#undef SYSCALL
};

static const struct syscall {
	uint32_t nr;
	enum syscall_row row; /* of types[] */
	const char *name;
} calls[] = {
#define SYSNR(nr, name) { nr, ROW_##name, #name },
#define SYSNR_AS(nr, name, row) { nr, ROW_##row, #name },
#include "prov/sysnr.def"
#undef SYSNR
#undef SYSNR_AS
};

#define NCALLS (sizeof(calls) / sizeof(*calls))

/* probe.num of a call: its row, twice, and one more for the return. */
static const struct syscall *
syscall_of(const struct probe *p)
{
	return &calls[p->num / 2];
}

static bool
syscall_is_return(const struct probe *p)
{
	return p->num % 2 != 0;
}

static int
syscall_add(struct prov *pv, size_t row, bool is_return, struct err *e)
{
	struct probe *p =
		probe_add(pv, "syscall", SYSCALL_MODULE, calls[row].name,
			  is_return ? "return" : "entry");

	if (p == NULL)
		return err_nomem(e);
	p->num = row * 2 + is_return;
	return 0;
}

static int
syscall_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	bool entry = probe_glob(pd->name, "entry");
	bool ret = probe_glob(pd->name, "return");

	if ((!entry && !ret) || !probe_glob(pd->prov, "syscall") ||
	    !probe_glob(pd->mod, SYSCALL_MODULE))
		return 0;
	for (size_t i = 0; i < NCALLS; i++) {
		if (!probe_glob(pd->func, calls[i].name))
			continue;
		if ((entry && syscall_add(pv, i, false, e) != 0) ||
		    (ret && syscall_add(pv, i, true, e) != 0))
			return -1;
	}
	return 0;
}

/* ---- arguments ------------------------------------ */

/* The type of the text's first n characters. */
static int
syscall_type(struct prov *pv, const char *text, size_t n, struct type **out,
	     struct err *e)
{
	char one[64];

	snprintf(one, sizeof(one), "%.*s", (int)n, text);
	*out = type_from_text(pv->env->types, one, true);
	if (*out == NULL && errno == ENOMEM)
		return err_nomem(e);
	if (*out == NULL)
		return err_set(e, &ERR_GENERIC, 0,
			       "syscall provider: no type %s", one);
	return 0;
}

static int
syscall_args(struct prov *pv, const struct probe *p, struct probe_args *out,
	     struct err *e)
{
	const struct syscall *c = syscall_of(p);
	const char *s = types[c->row].args;
	char text[32];

	out->typed = true;
	out->nargs = 0;
	if (syscall_is_return(p)) {
		if (syscall_type(pv, types[c->row].ret,
				 strlen(types[c->row].ret), &out->type[0],
				 e) != 0)
			return -1;
		out->type[1] = out->type[0];
		out->nargs = 2;
		return 0;
	}
	while (*s != '\0') {
		size_t n = strcspn(s, ","), bare = n;
		const char **name = &out->name[out->nargs];

		while (s[bare - 1] != ' ' && s[bare - 1] != '*')
			bare--;
		if (syscall_type(pv, s, bare, &out->type[out->nargs], e) != 0)
			return -1;
		snprintf(text, sizeof(text), "%.*s", (int)(n - bare), s + bare);
		*name = probe_str(pv->set, text);
		if (*name == NULL)
			return err_nomem(e);
		out->nargs++;
		s += n;
		s += strspn(s, ", ");
	}
	return 0;
}

static int
syscall_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	      struct err *e)
{
	static const struct dif_recipes at_entry = {
		.arg = {
#define SYSARG(n, REG) [n] = { DIF_RCP_UREG, DIF_R_##REG },
#include "dif/conv.def"
		},
	};
	static const struct dif_recipes at_return = {
		.arg = { { DIF_RCP_SYSRET }, { DIF_RCP_SYSRET } },
	};
	bool ret = syscall_is_return(p);
	struct dif_site s = {
		.kind = ret ? DIF_SITE_SYSRETURN : DIF_SITE_SYSENTRY,
		.num = syscall_of(p)->nr,
		.args = probe_recipes(pv->set, ret ? &at_return : &at_entry),
	};

	return s.args != NULL ? site_add(out, &s, e) : err_nomem(e);
}

int
prov_syscall_init(struct prov *pv, struct err *e)
{
	return 0;
}

const struct prov_ops prov_syscall_ops = {
	.name = "syscall",
	.attr = { .prov = "Evolving/Evolving/Common",
		  .mod = "Private/Private/Unknown",
		  .func = "Private/Private/ISA",
		  .name = "Evolving/Evolving/Common",
		  .args = "Private/Private/ISA" },
	.crosses = true,
	.provide = syscall_provide,
	.args = syscall_args,
	.sites = syscall_sites,
};
