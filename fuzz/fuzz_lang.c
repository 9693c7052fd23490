/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_lang.c - any bytes as D text, for a host that has every probe and no
 * kernel: as a program file, then again as from the command line, so that the
 * second compile meets what the first left behind.  Probes of providers that
 * begin with t have typed arguments, one of them translated if the text has
 * the translator; what begins with y is there to be depended upon.  The last
 * compile shows the program and its trees.  Its words are taken, too.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lang/lang.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
some_probe_info(void *arg, const struct dif_pdesc *pd,
		struct lang_probe_info *out, struct err *e)
{
	memset(out, 0, sizeof(*out));
	out->nmatch = 1;
	if (pd->prov[0] != 't')
		return 0;
	out->typed = true;
	out->nargs = 4;
	for (unsigned i = 0; i < 3; i++)
		out->args[i] = type_from_text(arg, i == 0 ? "int" : "int *",
					      false);
	out->xlate[1] = "struct s *";
	out->map[2] = 5;
	return 0;
}

static int
some_ksym(void *arg, const char *module, const char *name, uint64_t *addr)
{
	*addr = 0xffffffff81000000;
	return name[0] == 'j' ? 0 : -1;
}

static int
some_depends(void *arg, const char *kind, const char *name)
{
	return name[0] == 'y';
}

static void
null_warn(void *arg, struct src_loc loc, const char *msg)
{
}

static int
null_setopt(void *arg, const char *name, const char *val, struct err *e)
{
	return 0;
}

/* All are known, but there are two targets. */
static bool
null_macro(void *arg, const char *name, int64_t *val)
{
	*val = 1;
	return strncmp(name, "target", 6) != 0 || strlen(name) == 6 ||
	       strcmp(name + 6, "2") <= 0;
}

static void
compile(struct lang *l, struct lang_src *src)
{
	static struct lang_more more;
	struct err e = { 0 };
	struct dif_prog *p;

	more.n = 0;
	src->more = &more;
	p = lang_compile(l, src, &e);
	if ((p == NULL) != err_is_set(&e) || (p != NULL && more.n != 0))
		abort();
	if (p != NULL)
		dif_prog_free(p);
}

/* Words are in the text, and one is not behind the other. */
struct words {
	const char *end; /* of the last */
	const char *text;
	size_t len;
};

static void
see_word(void *arg, const char *word, size_t len)
{
	struct words *w = arg;

	if (word < w->end || len == 0 || word + len > w->text + w->len)
		abort();
	w->end = word + len;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char args[4][16] = { "dtrace", "12", "-0x3", "name" };
	char *argv[] = { args[0], args[1], args[2], args[3] };
	struct err e = { 0 };
	struct lang_host h = { .probe_info = some_probe_info,
			       .ksym = some_ksym,
			       .setopt = null_setopt,
			       .depends = some_depends,
			       .warn = null_warn,
			       .macro = null_macro,
			       .engines = DIF_ENG_IK,
			       .types = type_space_base(&e) };
	h.arg = h.types;
	struct lang *l = h.types == NULL ? NULL : lang_new(&h, &e);
	/* Text need not end in a NUL: give it none. */
	char *text = malloc(size == 0 ? 1 : size);
	struct lang_src src = { .text = text, .len = size, .file = "fuzz.d",
				.spec = LANG_SPEC_NAME, .argc = 4,
				.argv = argv, .cflags = LANG_C_ARGREF };

	struct buf shown[2] = { BUF_INIT, BUF_INIT };
	const struct lang_show show = {
		.text = &shown[0], .tree = &shown[1],
		.stages = LANG_TREE_PARSED | LANG_TREE_CHECKED
	};

	if (l != NULL && text != NULL) {
		if (size > 0)
			memcpy(text, data, size);
		struct words w = { .end = text, .text = text, .len = size };
		lang_words(text, size, see_word, &w);
		compile(l, &src);
		src.file = NULL;
		src.argc = 1;
		src.cflags = LANG_C_DEFARG | LANG_C_EMPTY | LANG_C_ZDEFS;
		compile(l, &src);
		/* Checked when used: by the text itself, this time. */
		src.library = true;
		compile(l, &src);
		src.library = false;
		src.show = &show;
		compile(l, &src);
	}
	buf_fini(&shown[0]);
	buf_fini(&shown[1]);
	free(text);
	lang_free(l);
	if (h.types != NULL)
		type_space_free(h.types);
	return 0;
}
