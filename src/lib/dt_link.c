/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_link.c - `dtrace -G`: the object that programs with static probes are
 * linked with by the build rules of other systems.
 *
 * There it is what makes calls into probes.  Here the compiler has done that
 * already (dt_usdt.c), so programs link without it.  It has what can be missing
 * all the same: the semaphores of probes, which objects that were compiled with
 * the header of SystemTap's dtrace have not.  What no object can supply, the
 * functions that other systems' headers call, is refused now, by the object's
 * name, and not by the linker.
 */
#include "elf/elf.h"
#include "lib/dt_header.h"
#include "lib/dt_impl.h"

#include <stdlib.h>

static int
check_object(dtrace_hdl_t *dtp, const char *path)
{
	struct elf_file *f = elf_open(path, &dtp->err);
	const char *name;
	int rv = 0;

	if (f == NULL)
		return dt_fail(dtp, EDT_IO);
	name = elf_undef(f, "__dtrace");
	if (name != NULL)
		rv = dt_set_err(dtp, EDT_UNSUP,
				"%s: calls %s(), so it was compiled with the "
				"header of another system's dtrace: make it "
				"with dtrace -h",
				path, name);
	elf_close(f);
	return rv;
}

/* The names of all semaphores, in the handle's memory. */
static const char **
semaphores(dtrace_hdl_t *dtp, size_t *n)
{
	const struct lang *l = dtp->lang;
	const char **v;
	size_t max = 0;

	for (size_t i = 0; i < lang_nproviders(l); i++)
		max += lang_provider(l, i)->nprobes;
	v = arena_calloc(dtp->arena, max + 1, sizeof(*v));
	*n = 0;
	for (size_t i = 0; v != NULL && i < lang_nproviders(l); i++) {
		const struct lang_provider *pv = lang_provider(l, i);

		for (uint32_t k = 0; k < pv->nprobes; k++) {
			v[*n] = arena_printf(dtp->arena, "%s_%s_semaphore",
					     pv->name, pv->probes[k].cname);
			if (v[(*n)++] == NULL)
				return NULL;
		}
	}
	return v;
}

int
dtrace_program_link(dtrace_hdl_t *dtp, dtrace_prog_t *prog, unsigned flags,
		    const char *file, int objc, char *const objv[])
{
	const char **names;
	size_t n;

	(void)prog;
	(void)flags;
	err_clear(&dtp->err);
	if (dt_header_none(dtp))
		return dt_set_err(dtp, EDT_NOPROV, "no provider is declared");
	for (int i = 0; i < objc; i++)
		if (check_object(dtp, objv[i]) != 0)
			return -1;
	names = semaphores(dtp, &n);
	if (names == NULL)
		return dt_nomem(dtp);
	if (elf_write_words(file, names, n, &dtp->err) != 0)
		return dt_fail(dtp, EDT_IO);
	return 0;
}
