/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lang_test.h - D text through the front end with a host that knows nothing:
 * no probes but those of any name, no kernel, no options but two.
 */
#ifndef LANG_TEST_LANG_TEST_H
#define LANG_TEST_LANG_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lang/check/check.h"
#include "lang/lex/lex.h"
#include "lang/parse/parse.h"

struct lt {
	struct type_space *base;
	struct lang *lang;
	struct err e;
	char opt[64]; /* the last option set, name=value */
};

static int
lt_setopt(void *arg, const char *name, const char *val, struct err *e)
{
	struct lt *t = arg;

	if (strcmp(name, "nosuch") == 0)
		return err_set(e, &ERR_GENERIC, 0, "invalid option name");
	snprintf(t->opt, sizeof(t->opt), "%s%s%s", name, val ? "=" : "",
		 val ? val : "");
	return 0;
}

static bool
lt_macro(void *arg, const char *name, int64_t *val)
{
	*val = strcmp(name, "pid") == 0 ? 4242 : -3;
	return strcmp(name, "pid") == 0 || strcmp(name, "neg") == 0;
}

static int
lt_depends(void *arg, const char *kind, const char *name)
{
	return strcmp(name, "there") == 0;
}

static int
lt_probe_info(void *arg, const struct dif_pdesc *pd,
	      struct lang_probe_info *out, struct err *e)
{
	memset(out, 0, sizeof(*out));
	out->nmatch = 1;
	return 0;
}

static inline void
lt_open(struct lt *t)
{
	struct lang_host h = { .arg = t, .probe_info = lt_probe_info,
			       .setopt = lt_setopt, .macro = lt_macro,
			       .depends = lt_depends,
			       .engines = DIF_ENG_IK };

	memset(t, 0, sizeof(*t));
	t->base = type_space_base(&t->e);
	assert_non_null(t->base);
	h.types = t->base;
	t->lang = lang_new(&h, &t->e);
	assert_non_null(t->lang);
}

static inline void
lt_close(struct lt *t)
{
	lang_free(t->lang);
	type_space_free(t->base);
}

/* How to read the text: D program file or command line, with arguments. */
struct lt_src {
	const char *text;
	const char *file;
	enum lang_spec spec;
	unsigned cflags;
	int argc;
	char **argv;
};

/*
 * Parse every item and hand it to fn.  NULL, or the tag's name; t->e has the
 * rest.  The names of variables are not entered: nothing is checked.
 */
static inline const char *
lt_parse(struct lt *t, const struct lt_src *s,
	 void (*fn)(struct compile *cx, const struct item *it, void *arg),
	 void *arg)
{
	struct lang_src src = { .text = s->text, .len = strlen(s->text),
				.file = s->file, .spec = s->spec,
				.cflags = s->cflags, .argc = s->argc,
				.argv = s->argv };
	struct compile cx;
	jmp_buf out;
	struct item *it;

	err_clear(&t->e);
	assert_int_equal(compile_init(&cx, t->lang, &src, &t->e), 0);
	cx.fail = &out;
	if (setjmp(out) == 0) {
		names_begin(&cx);
		parse_init(&cx, &check_ask);
		while ((it = parse_item(&cx)) != NULL)
			if (fn != NULL)
				fn(&cx, it, arg);
		macro_check_unused(&cx);
		pragma_check_unused(&cx);
	}
	names_rollback(&cx);
	compile_fini(&cx);
	return t->e.tag == NULL ? NULL : t->e.tag->name;
}

/* A program file's text, and the error it must give: tag, line, column. */
struct lt_error {
	const char *text, *tag;
	int line, col;
};

static inline void
lt_expect_error(const struct lt_error *x)
{
	struct lt t;
	struct lt_src s = { .text = x->text, .file = "t.d",
			    .spec = LANG_SPEC_NAME };

	lt_open(&t);
	const char *tag = lt_parse(&t, &s, NULL, NULL);
	if (tag == NULL || strcmp(tag, x->tag) != 0 ||
	    t.e.loc.line != x->line || t.e.loc.col != x->col)
		fail_msg("%s\n  gave %s at %d:%d (%s), not %s at %d:%d",
			 x->text, tag ? tag : "no error", t.e.loc.line,
			 t.e.loc.col, t.e.msg, x->tag, x->line, x->col);
	lt_close(&t);
}

#define lt_expect_errors(v)                                             \
	do {                                                            \
		for (size_t i_ = 0; i_ < sizeof(v) / sizeof((v)[0]); i_++) \
			lt_expect_error(&(v)[i_]);                      \
	} while (0)

#endif
