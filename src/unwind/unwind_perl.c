/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unwind_perl.c - whether a file is Perl, and how its frames are laid out.
 *
 * The program, or libperl where the interpreter is a library, exports its
 * version, the size of its interpreter's state, the key that leads to a
 * thread's, and the functions of which rt_perl.c must know.  What a layout is
 * follows from Perl's headers (intrpvar.h, cop.h, cv.h, gv.h, hv.h) for a
 * version that is built with threads, as distributions build it; whoever builds
 * it with other options has a state of another size, and no frames.
 */
#include "unwind/unwind_impl.h"

#include <string.h>

struct perl_layout {
	uint8_t revision, version;
	uint16_t size; /* of the interpreter's state */
	struct rt_pl pl;
};

static const struct perl_layout perl_layouts[] = {
	{ .revision = 5,
	  .version = 36,
	  .size = 3768,
	  .pl = { .i_info = 224, .i_cop = 208, .si_cx = 8, .si_prev = 16,
		  .si_top = 32, .cx_size = 104, .cx_cop = 16, .cx_retop = 48,
		  .cx_cv = 72, .cx_env = 96, .cop_line = 36, .cop_file = 48,
		  .cv_stash = 32, .cv_gv = 56, .cv_flags = 92, .gv_name = 32,
		  .gv_stash = 40, .hv_name = 32, .hv_count = 60 } },
};

/* What calls the function that runs Perl's code, and has a JMPENV. */
static const char *const perl_callers[3] = { "Perl_call_sv", "perl_run",
					     "Perl_eval_sv" };

/* n bytes of the file's constant of that name, as a number; 0: it has none. */
static uint32_t
perl_number(struct elf_file *f, const char *name, size_t n)
{
	uint64_t at = unwind_symbol(f, name);
	const uint8_t *p = at != 0 ? elf_bytes(f, at, n) : NULL;
	uint32_t v = 0;

	if (p != NULL)
		memcpy(&v, p, n);
	return v;
}

static void
perl_code(struct elf_file *f, const char *name, uint64_t *at, uint32_t *n)
{
	const struct elf_sym *s = elf_sym_find(f, name);

	if (s != NULL && s->is_func) {
		*at = s->addr;
		*n = s->size;
	}
}

void
unwind_perl_file(struct elf_file *f, struct rt_pl *pl)
{
	uint32_t revision = perl_number(f, "PL_revision", 1);
	uint32_t version = perl_number(f, "PL_version", 1);
	uint32_t size = perl_number(f, "PL_interp_size", 2);

	for (size_t i = 0; i < sizeof(perl_layouts) / sizeof(*perl_layouts);
	     i++) {
		const struct perl_layout *l = &perl_layouts[i];

		if (l->revision == revision && l->version == version &&
		    l->size == size)
			*pl = l->pl;
	}
	if (pl->cx_size == 0)
		return;
	pl->key = unwind_symbol(f, "PL_thr_key");
	perl_code(f, "Perl_runops_standard", &pl->run, &pl->run_n);
	for (size_t i = 0; i < 3; i++)
		perl_code(f, perl_callers[i], &pl->call[i], &pl->call_n[i]);
}

void
unwind_perl_map(struct rt_pl *all, const struct rt_pl *file, uint64_t bias)
{
	if (file->key == 0 || all->key != 0)
		return;
	*all = *file;
	all->key += bias;
	all->run += bias;
	for (size_t i = 0; i < 3; i++)
		all->call[i] += bias;
}
