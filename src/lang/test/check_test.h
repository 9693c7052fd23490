/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_test.h - whole compiles in a made-up world: probes of provider "none"
 * do not exist, those of "typed" have four typed arguments, those of "xlated"
 * two, of which args[0] is an info_t * made from arg3, those of "bystruct" one
 * that is a struct, those of "mixed" disagree; every kernel symbol but `nosuch
 * has one address.
 */
#ifndef LANG_TEST_CHECK_TEST_H
#define LANG_TEST_CHECK_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lang/lang.h"

#define CT_SYM_ADDR 0xffffffff81000000ull

struct ct {
	struct type_space *base;
	struct lang *lang;
	struct err e;
};

static int
ct_probe_info(void *arg, const struct dif_pdesc *pd,
	      struct lang_probe_info *out, struct err *e)
{
	static const struct {
		const char *text;
		bool user;
	} args[] = { { "int", false },
		     { "const char *", true },
		     { NULL, false },
		     { "unsigned char", false } };
	struct ct *t = arg;

	out->nmatch = strcmp(pd->prov, "none") != 0;
	out->mixed = strcmp(pd->prov, "mixed") == 0;
	if (strcmp(pd->prov, "xlated") == 0) {
		out->typed = true;
		out->nargs = 2;
		out->args[0] = type_from_text(t->base, "char *", false);
		out->xlate[0] = "info_t *";
		out->map[0] = 3;
		return 0;
	}
	if (strcmp(pd->prov, "bystruct") == 0) {
		out->typed = true;
		out->nargs = 1;
		out->args[0] = type_from_text(t->base, "struct s", false);
		return 0;
	}
	out->typed = out->mixed || strcmp(pd->prov, "typed") == 0;
	if (!out->typed)
		return 0;
	out->nargs = 4;
	for (size_t i = 0; i < 4; i++)
		if (args[i].text != NULL)
			out->args[i] = type_from_text(t->base, args[i].text,
						      args[i].user);
	return 0;
}

static int
ct_ksym(void *arg, const char *module, const char *name, uint64_t *addr)
{
	*addr = CT_SYM_ADDR;
	return strcmp(name, "nosuch") == 0 ? -1 : 0;
}

static inline void
ct_open(struct ct *t)
{
	struct lang_host h = { .arg = t, .probe_info = ct_probe_info,
			       .ksym = ct_ksym, .engines = DIF_ENG_IK };

	memset(t, 0, sizeof(*t));
	t->base = type_space_base(&t->e);
	assert_non_null(t->base);
	h.types = t->base;
	t->lang = lang_new(&h, &t->e);
	assert_non_null(t->lang);
}

static inline void
ct_close(struct ct *t)
{
	lang_free(t->lang);
	type_space_free(t->base);
}

/* A program, or NULL with t->e. */
static inline struct dif_prog *
ct_try(struct ct *t, const char *text)
{
	struct lang_src s = { .text = text, .len = strlen(text),
			      .spec = LANG_SPEC_NAME };

	err_clear(&t->e);
	return lang_compile(t->lang, &s, &t->e);
}

static inline struct dif_prog *
ct_compile(struct ct *t, const char *text)
{
	struct dif_prog *p = ct_try(t, text);

	if (p == NULL)
		fail_msg("%s\n  gave %s: %s", text,
			 t->e.tag != NULL ? t->e.tag->name : "nothing",
			 t->e.msg);
	return p;
}

#endif
