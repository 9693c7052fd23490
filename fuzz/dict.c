/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dict.c - the words of D as a dictionary for libFuzzer, from the tables that
 * the language is made of: what is added there is fuzzed from then on.
 *
 *   dict     for D text
 *   dict opt for options
 */
#include <stdio.h>
#include <string.h>

/* A prefix, a word, a suffix: printed as libFuzzer reads them. */
static void
word(const char *before, const char *s, const char *after)
{
	printf("\"%s%s%s\"\n", before, s, after);
}

static void
words_d(void)
{
#define KW(name, flags) word("", #name, "");
#include "lang/kw.def"
#undef KW
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what) \
	word("", #name, "");
#include "dif/var.def"
#undef VAR
#define SUBR(id, name, proto, eng, flags, needs) word("", #name, "(");
#include "dif/subr.def"
#undef SUBR
#define ACT(code, NAME, name, class, proto, eng) word("", name, "(");
#include "dif/act.def"
#undef ACT
#define AGG(code, name, words, map, shown, bounds, min, max, proto) \
	word("= ", #name, "(");
#include "dif/agg.def"
#undef AGG
#define OPT(name, kind, class, def, arg, what) \
	word("#pragma D option ", #name, "");
#include "lib/opt.def"
#undef OPT
#define PROV(name) word("", #name, ":::");
#include "prov/prov.def"
#undef PROV
}

static void
words_opt(void)
{
#define OPT(name, kind, class, def, arg, what) word("", #name, "=");
#include "lib/opt.def"
#undef OPT
}

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "opt") == 0)
		words_opt();
	else
		words_d();
	return 0;
}
