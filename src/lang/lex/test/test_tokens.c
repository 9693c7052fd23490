/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tokens, control lines and names, linked with the two lowest layers of the
 * front end alone: that this links is half of the test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "lang/lex/lex.h"
#include "lang/tree/names.h"

struct world {
	struct type_space *base;
	struct lang *lang;
	struct err e;
	char opt[64]; /* the last option set: name=value */
};

static int
world_setopt(void *arg, const char *name, const char *val, struct err *e)
{
	struct world *w = arg;

	snprintf(w->opt, sizeof(w->opt), "%s=%s", name, val);
	return 0;
}

static bool
world_macro(void *arg, const char *name, int64_t *val)
{
	*val = -7;
	return strcmp(name, "seven") == 0;
}

static void
world_open(struct world *w)
{
	struct lang_host h = { .arg = w,
			       .setopt = world_setopt,
			       .macro = world_macro };

	memset(w, 0, sizeof(*w));
	w->base = type_space_base(&w->e);
	assert_non_null(w->base);
	h.types = w->base;
	w->lang = lang_new(&h, &w->e);
	assert_non_null(w->lang);
}

static void
world_close(struct world *w)
{
	lang_free(w->lang);
	type_space_free(w->base);
}

/* Every token to the end of the text, as "line:text ". */
static void
all_tokens(struct compile *cx, char *out, size_t size)
{
	size_t n = 0;

	for (;;) {
		struct token t = lex_next(cx);
		if (t.tok == TOK_EOF)
			return;
		n += (size_t)snprintf(out + n, size - n, "%d:%.*s ",
				      t.loc.line, (int)t.textlen, t.text);
		assert_true(n < size);
	}
}

/* A compile that only reads; fn is called before the first token. */
static void
world_read_bytes(struct world *w, const char *text, size_t len, char *out,
		 size_t size, void (*fn)(struct compile *cx))
{
	struct lang_src src = { .text = text, .len = len, .file = "t.d" };
	struct compile cx;
	jmp_buf fail;

	out[0] = '\0';
	err_clear(&w->e);
	assert_int_equal(compile_init(&cx, w->lang, &src, &w->e), 0);
	cx.fail = &fail;
	if (setjmp(fail) == 0) {
		names_begin(&cx);
		lex_begin(&cx);
		cx.lex->outer = true;
		if (fn != NULL)
			fn(&cx);
		all_tokens(&cx, out, size);
		pragma_check_unused(&cx);
		names_commit(&cx);
	} else {
		names_rollback(&cx);
	}
	/* Names keep their places; here the types are those of the base. */
	compile_fini(&cx);
}

static void
world_read(struct world *w, const char *text, char *out, size_t size,
	   void (*fn)(struct compile *cx))
{
	world_read_bytes(w, text, strlen(text), out, size, fn);
}

static void
test_tokens(void **state)
{
	struct world w;
	char out[256];

	world_open(&w);
	world_read(&w, "a+=0x1f; /* no */ self->b\n@c[\"d\"] ...", out,
		   sizeof(out), NULL);
	assert_null(w.e.tag);
	assert_string_equal(out, "1:a 1:+= 1:0x1f 1:; 1:self 1:-> 1:b 2:@c "
				 "2:[ 2:\"d\" 2:] 2:... ");
	world_read(&w, "x $seven", out, sizeof(out), NULL);
	assert_null(w.e.tag);
	assert_string_equal(out, "1:x 1:$seven 1:$seven "); /* - and 7 */
	world_close(&w);
}

/* A NUL byte is an error wherever it stands. */
static void
test_nul(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		int line, col;
		const char *msg;
	} v[] = {
		{ "a \"b\0c\"", 7, 1, 5, "a NUL byte" },
		{ "a\n/* b\n\0 */ c", 14, 3, 1, "a NUL byte" },
		{ "a // b\0", 7, 1, 7, "a NUL byte" },
		{ "\xff\xfe"
		  "a\0",
		  4, 1, 4, "a NUL byte: the text is UTF-16, not UTF-8" },
	};
	struct world w;
	char out[256];

	world_open(&w);
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		world_read_bytes(&w, v[i].text, v[i].len, out, sizeof(out),
				 NULL);
		assert_ptr_equal(w.e.tag, &D_SYNTAX);
		assert_int_equal(w.e.loc.line, v[i].line);
		assert_int_equal(w.e.loc.col, v[i].col);
		assert_string_equal(w.e.msg, v[i].msg);
	}
	world_close(&w);
}

static void
test_control(void **state)
{
	struct world w;
	char out[256];

	world_open(&w);
	world_read(&w, "#pragma D option k=v\n# 40 \"u.d\"\na", out,
		   sizeof(out), NULL);
	assert_null(w.e.tag);
	assert_string_equal(w.opt, "k=v");
	assert_string_equal(out, "40:a ");
	world_read(&w, "a\n  'b", out, sizeof(out), NULL);
	assert_ptr_equal(w.e.tag, &D_CHR_NL);
	assert_int_equal(w.e.loc.line, 2);
	assert_int_equal(w.e.loc.col, 3);
	world_close(&w);
}

static void
add_word(void *arg, const char *word, size_t len)
{
	char *out = arg;
	size_t n = strlen(out);

	snprintf(out + n, 256 - n, "%.*s ", (int)len, word);
}

/* The words of n bytes of which none is behind the last. */
static void
words_are(const char *text, size_t n, const char *want)
{
	char copy[128], out[256] = "";

	memcpy(copy + sizeof(copy) - n, text, n);
	lang_words(copy + sizeof(copy) - n, n, add_word, out);
	assert_string_equal(out, want);
}
#define WORDS(text, want) words_are(text, sizeof(text) - 1, want)

static void
test_words(void **state)
{
	WORDS("", "");
	WORDS("io:::start /a->b == 0x1f/ { @c[this->d1] = e`f; }",
	      "io start a b c this d1 e f ");
	WORDS("$target:::$$1 { $x }", "target x ");
	WORDS("#pragma D option a=b\n# 1 \"f\"\nx", "pragma D option a b x ");
	WORDS("a /* b \n * c */ d // e\nf /", "a d f ");
	WORDS("a /* b *", "a ");
	WORDS("a /*", "a ");
	WORDS("a //", "a ");
	WORDS("a \"b\\\" c\" d 'e' f \"\" g", "a d f g ");
	/* Quotes of what is no D: the rest of the line at most. */
	WORDS("don't care\nb \"c\nd \"e", "don b d ");
	WORDS("a \"b\\", "a ");
	WORDS("\xff\x00 a\x80"
	      "b",
	      "a b ");
	/* A predicate that a comment follows, or a comment. */
	WORDS("/a//* 'b */ { c }\n/*d*/e", "a b c e ");
	WORDS("/a/// { c }\nb", "a b ");
}

static void
declare_n(struct compile *cx)
{
	struct src_loc loc = { .file = "t.d", .line = 1 };
	struct ident *id =
		names_add(cx, DIF_SCOPE_GLOBAL, ID_VAR, "n",
			  type_basic(cx->types, TYPE_B_INT), loc);

	names_make_var(cx, id, DIF_SCOPE_GLOBAL, NULL, 0);
	assert_ptr_equal(names_find(cx, DIF_SCOPE_GLOBAL, "n"), id);
}

static void
find_n(struct compile *cx)
{
	assert_non_null(names_find(cx, DIF_SCOPE_GLOBAL, "n"));
}

static void
find_no_n(struct compile *cx)
{
	assert_null(names_find(cx, DIF_SCOPE_GLOBAL, "n"));
	assert_false(names_is_variable(cx, "n"));
	assert_true(names_is_variable(cx, "pid"));
}

/* A name stays if its compile succeeds, and only then. */
static void
test_names(void **state)
{
	struct world w;
	char out[256];

	world_open(&w);
	world_read(&w, "'", out, sizeof(out), declare_n);
	assert_non_null(w.e.tag);
	assert_int_equal(w.lang->tab.nvars, 0);
	world_read(&w, "", out, sizeof(out), find_no_n);
	assert_null(w.e.tag);
	world_read(&w, "\n#pragma D binding \"1.2\" n\n", out, sizeof(out),
		   declare_n);
	assert_null(w.e.tag);
	assert_int_equal(w.lang->tab.nvars, 1);
	world_read(&w, "", out, sizeof(out), find_n);
	assert_null(w.e.tag);
	world_read(&w, "\n#pragma D binding \"1.2\" other\n", out, sizeof(out),
		   NULL);
	assert_ptr_equal(w.e.tag, &D_PRAGMA_UNUSED);
	world_close(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
