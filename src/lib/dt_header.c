/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_header.c - `dtrace -h`: a header for the C and C++ programs in which a
 * declared provider's probes are to be.
 *
 * For a probe query__start of provider myapp it has
 *
 *	MYAPP_QUERY_START(arg0, arg1)	the probe
 *	MYAPP_QUERY_START_ENABLED()	does anybody listen?
 *
 * Both are expressions.  What they do is described in dt_usdt.c; where that can
 * not be done - another compiler, processor or object format - and where
 * _DTRACE_VERSION is 0 they do nothing.  The header needs no other.
 *
 * The text is complete or not written at all.
 */
#include "lib/dt_header.h"
#include "lib/dt_impl.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

struct header {
	dtrace_hdl_t *dtp;
	struct buf text;
	struct hash *seen; /* macros and tags that are there already */
};

/* Each provider's every probe; f gives 0, or -1 to stop, which is returned. */
typedef int each_f(struct header *h, const struct lang_provider *pv,
		   const struct lang_provider_probe *p);

static int
each_probe(struct header *h, each_f *f)
{
	const struct lang *l = h->dtp->lang;

	for (size_t i = 0; i < lang_nproviders(l); i++) {
		const struct lang_provider *pv = lang_provider(l, i);

		for (uint32_t k = 0; k < pv->nprobes; k++)
			if (f(h, pv, &pv->probes[k]) != 0)
				return -1;
	}
	return 0;
}

/* ---- names -------------------------------------------------------------- */

/* In capitals, __ as _. */
static void
write_capitals(const char *s, struct buf *out)
{
	for (; *s != '\0'; s++) {
		if (s[0] == '_' && s[1] == '_')
			s++;
		buf_putc(out, (char)toupper((unsigned char)*s));
	}
}

static void
write_macro(const struct lang_provider *pv, const struct lang_provider_probe *p,
	    struct buf *out)
{
	write_capitals(pv->name, out);
	buf_putc(out, '_');
	write_capitals(p->cname, out);
}

/* _PROV_H of any/where/prov.h. */
static void
write_guard(const char *fname, struct buf *out)
{
	const char *slash = strrchr(fname, '/');

	buf_putc(out, '_');
	for (const char *s = slash != NULL ? slash + 1 : fname; *s != '\0'; s++)
		buf_putc(out, isalnum((unsigned char)*s)
				      ? (char)toupper((unsigned char)*s)
				      : '_');
}

/* Two probes may have names that differ, and the same macros. */
static int
claim_macro(struct header *h, const struct buf *name,
	    const struct lang_provider_probe *p)
{
	const struct lang_provider_probe *had =
		hash_find_str(h->seen, buf_str(name));

	if (had != NULL) {
		err_clear(&h->dtp->err);
		err_set_loc(&h->dtp->err, &EDT_TAG_UNSUP, p->loc,
			    "probes %s and %s would have the same macro, %s",
			    had->cname, p->cname, buf_str(name));
		return dt_fail(h->dtp, EDT_UNSUP);
	}
	if (name->failed ||
	    hash_set_str(h->seen, buf_str(name), (void *)(uintptr_t)p) != 0)
		return dt_nomem(h->dtp);
	return 0;
}

static int
check_names(struct header *h, const struct lang_provider *pv,
	    const struct lang_provider_probe *p)
{
	struct buf name = BUF_INIT;

	write_macro(pv, p, &name);
	int rv = claim_macro(h, &name, p);
	if (rv == 0) {
		buf_puts(&name, "_ENABLED");
		rv = claim_macro(h, &name, p);
	}
	buf_fini(&name);
	return rv;
}

/* ---- probes ------------------------------------------------------------- */

/* Structs that arguments point to, so that they are no parameter's own. */
static int
write_tags(struct header *h, const struct lang_provider *pv,
	   const struct lang_provider_probe *p)
{
	struct buf tag = BUF_INIT;
	int rv = 0;

	(void)pv;
	for (uint32_t i = 0; i < p->nargs && rv == 0; i++) {
		if (!dt_carg_tag(p->args[i].ctype, &tag) ||
		    hash_find_str(h->seen, buf_str(&tag)) != NULL)
			continue;
		buf_printf(&h->text, "%s;\n", buf_str(&tag));
		if (tag.failed || hash_set_str(h->seen, buf_str(&tag), h) != 0)
			rv = dt_nomem(h->dtp);
	}
	buf_fini(&tag);
	return rv;
}

static int
write_functions(struct header *h, const struct lang_provider *pv,
		const struct lang_provider_probe *p)
{
	struct dt_carg args[DIF_NARGS] = { 0 };
	uint32_t n = 0;

	while (n < p->nargs && dt_carg(p->args[n].ctype, &args[n]))
		n++;
	if (n == p->nargs) {
		dt_usdt_probe(h->dtp->lang, pv, p, args, &h->text);
	} else {
		err_clear(&h->dtp->err);
		err_set_loc(
			&h->dtp->err, &EDT_TAG_UNSUP, p->loc,
			"probe %s: argument #%u cannot be of type %s: give a "
			"pointer to data, or a number",
			p->cname, n + 1, p->args[n].type);
		dt_fail(h->dtp, EDT_UNSUP);
	}
	for (uint32_t i = 0; i < DIF_NARGS; i++)
		buf_fini(&args[i].type);
	return n == p->nargs ? 0 : -1;
}

static void
write_params(uint32_t n, struct buf *out)
{
	buf_putc(out, '(');
	for (uint32_t i = 0; i < n; i++)
		buf_printf(out, "%sarg%u", i > 0 ? ", " : "", i);
	buf_putc(out, ')');
}

static int
write_macros(struct header *h, const struct lang_provider *pv,
	     const struct lang_provider_probe *p)
{
	struct buf *b = &h->text;

	buf_puts(b, "#define ");
	write_macro(pv, p, b);
	write_params(p->nargs, b);
	buf_printf(b, " \\\n\t__dtrace_%s___%s", pv->name, p->cname);
	write_params(p->nargs, b);
	buf_puts(b, "\n#define ");
	write_macro(pv, p, b);
	buf_printf(b, "_ENABLED() \\\n\t__dtraceenabled_%s___%s()\n", pv->name,
		   p->cname);
	return 0;
}

static int
write_nothings(struct header *h, const struct lang_provider *pv,
	       const struct lang_provider_probe *p)
{
	buf_puts(&h->text, "#define ");
	write_macro(pv, p, &h->text);
	write_params(p->nargs, &h->text);
	buf_puts(&h->text, " ((void)0)\n#define ");
	write_macro(pv, p, &h->text);
	buf_puts(&h->text, "_ENABLED() (0)\n");
	return 0;
}

/* ---- the whole ---------------------------------------------------------- */

static const char frame_begin[] =
	"/* -D_DTRACE_VERSION=0 leaves the probes out. */\n"
	"#ifndef _DTRACE_VERSION\n"
	"#define _DTRACE_VERSION 1\n"
	"#endif\n"
	"\n"
	"#if _DTRACE_VERSION && defined(__GNUC__) && defined(__ELF__) && \\\n"
	"\tdefined(__LP64__) && (defined(__x86_64__) || "
	"defined(__aarch64__))\n"
	"\n"
	"#ifdef __cplusplus\n"
	"extern \"C\" {\n"
	"#endif\n"
	"\n";

static const char frame_cplusplus_end[] = "#ifdef __cplusplus\n"
					  "}\n"
					  "#endif\n"
					  "\n";

static int
write_header(struct header *h, const char *fname)
{
	struct buf *b = &h->text;

	if (each_probe(h, check_names) != 0)
		return -1;
	buf_puts(b, "/*\n * Probes for C and C++, made by dtrace -h: changes "
		    "to this file get lost.\n */\n#ifndef ");
	write_guard(fname, b);
	buf_puts(b, "\n#define ");
	write_guard(fname, b);
	buf_puts(b, "\n\n");
	buf_puts(b, frame_begin);
	if (each_probe(h, write_tags) != 0)
		return -1;
	buf_putc(b, '\n');
	dt_usdt_begin(b);
	if (each_probe(h, write_functions) != 0)
		return -1;
	buf_putc(b, '\n');
	dt_usdt_end(b);
	buf_putc(b, '\n');
	buf_puts(b, frame_cplusplus_end);
	each_probe(h, write_macros);
	buf_puts(b, "\n#else\n\n");
	each_probe(h, write_nothings);
	buf_puts(b, "\n#endif\n\n#endif\n");
	return b->failed ? dt_nomem(h->dtp) : 0;
}

/* Build rules ask for the probes of files that declare none, and generators
   write empty ones: no provider is an error where there is something else. */
bool
dt_header_none(const dtrace_hdl_t *dtp)
{
	uint32_t clauses = 0;

	for (const struct dtrace_prog *p = dtp->progs; p != NULL; p = p->next)
		clauses += p->dif->nclauses;
	return lang_nproviders(dtp->lang) == 0 &&
	       (dtp->progs == NULL || clauses != 0);
}

int
dtrace_program_header(dtrace_hdl_t *dtp, FILE *fp, const char *fname)
{
	struct header h = { .dtp = dtp, .seen = hash_new() };
	int rv;

	if (h.seen == NULL)
		return dt_nomem(dtp);
	if (dt_header_none(dtp))
		rv = dt_set_err(dtp, EDT_NOPROV, "no provider is declared");
	else
		rv = write_header(&h, fname);
	if (rv == 0 && fwrite(h.text.p, 1, h.text.n, fp) != h.text.n)
		rv = dt_set_err(dtp, EDT_IO, "%s: %s", fname, strerror(errno));
	buf_fini(&h.text);
	hash_free(h.seen);
	return rv;
}
