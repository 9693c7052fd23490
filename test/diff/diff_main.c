/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * diff_main.c - diff [-v] [SEED [COUNT]]: random traces by both engines, until
 * COUNT have been run or, by default, SECONDS are over.  A difference is
 * printed with the clause's disassembly; `diff -v SEED 1` repeats it.
 * Status 77: the other engine cannot be used here.
 */
#include "diff.h"
#include "base/test/capable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECONDS 12
#define REPORTS 5 /* differing traces that are printed in full */

/* ---- telling ------------------------------------------------------------- */

static void
tell_object(const char *what, const struct dif_obj *o)
{
	struct buf b = BUF_INIT;

	dif_disasm(o, &b);
	printf("%s\n%s", what, buf_str(&b));
	buf_fini(&b);
}

static void
tell_clause(const struct diff_trace *t, uint32_t epid)
{
	const struct dif_clause *cl;
	char what[80];

	if (epid == 0 || epid > t->en.necbs)
		return;
	cl = t->en.clauses[t->en.ecbs[epid - 1].clause];
	printf("-- clause %u (record %u bytes)\n", epid, cl->recsize);
	if (cl->pred != NULL)
		tell_object("predicate", cl->pred);
	for (uint32_t s = 0; s < cl->nstmts; s++)
		for (uint32_t i = 0; i < cl->stmts[s].nexprs; i++) {
			const struct dif_expr *x = &cl->stmts[s].exprs[i];
			snprintf(what, sizeof(what),
				 "statement %u (%#x) value %u at %u, %u bytes",
				 s + 1, cl->stmts[s].kind, i, x->off, x->size);
			tell_object(what, x->obj);
		}
}

static void
tell_record(const char *who, struct diff_trace *t, const struct buf *b,
	    size_t at)
{
	const struct rt_rec *r = (const void *)(b->p + at);
	const struct rt_error_rec *er = (const void *)r;

	printf("%-8s ", who);
	if (at >= b->n) {
		printf("no more records\n");
		return;
	}
	if (r->epid == RT_EPID_ERROR) {
		printf("fault %s, clause %u, statement %u, offset %d, "
		       "address %#llx\n",
		       dif_fault_text(er->fault), er->epid, er->action,
		       er->difoff, (unsigned long long)er->val);
		return;
	}
	printf("clause %u:", r->epid);
	for (uint32_t i = sizeof(*r); i < diff_recsize(t, r->epid); i++)
		printf("%s%02x", i % 8 == 0 ? " " : "",
		       ((const uint8_t *)r)[i]);
	printf("\n");
}

/* ---- comparing ----------------------------------------------------------- */

static uint32_t
clause_of(const struct buf *b, size_t at)
{
	const struct rt_error_rec *er = (const void *)(b->p + at);

	if (at >= b->n)
		return 0;
	return er->rec.epid == RT_EPID_ERROR ? er->epid : er->rec.epid;
}

/* The first record that differs, told; true if there is one. */
static bool
records_differ(struct diff_trace *t, const struct diff_out *a,
	       const struct diff_out *b, bool tell)
{
	size_t at = 0;

	while (at < a->recs.n && at < b->recs.n) {
		const struct rt_rec *r = (const void *)(a->recs.p + at);
		uint32_t n = diff_recsize(t, r->epid);
		if (at + n > b->recs.n || memcmp(r, b->recs.p + at, n) != 0)
			break;
		at += n;
	}
	if (at == a->recs.n && at == b->recs.n)
		return false;
	if (tell) {
		uint32_t ca = clause_of(&a->recs, at);
		uint32_t cb = clause_of(&b->recs, at);
		tell_record("interp", t, &a->recs, at);
		tell_record(diff_engine.name, t, &b->recs, at);
		tell_clause(t, ca);
		if (cb != ca)
			tell_clause(t, cb);
	}
	return true;
}

static bool
cells_differ(const struct diff_out *a, const struct diff_out *b, bool tell)
{
	const char *p = buf_str(&a->cells);
	const char *q = buf_str(&b->cells);
	size_t i = 0, line = 0;

	if (strcmp(p, q) == 0)
		return false;
	for (; p[i] == q[i]; i++)
		if (p[i] == '\n')
			line = i + 1;
	if (tell)
		printf("%-8s %.*s\n%-8s %.*s\n", "interp",
		       (int)strcspn(p + line, "\n"), p + line,
		       diff_engine.name, (int)strcspn(q + line, "\n"), q + line);
	return true;
}

static bool
counts_differ(const struct diff_out *a, const struct diff_out *b, bool tell)
{
	bool differ = a->errors != b->errors;

	if (differ && tell)
		printf("errors: interp %llu, %s %llu\n",
		       (unsigned long long)a->errors, diff_engine.name,
		       (unsigned long long)b->errors);
	for (unsigned d = 0; d < RT_NDROP; d++) {
		if (a->drops[d] == b->drops[d])
			continue;
		differ = true;
		if (tell)
			printf("drops of cause %u: interp %llu, %s %llu\n",
			       d, (unsigned long long)a->drops[d],
			       diff_engine.name,
			       (unsigned long long)b->drops[d]);
	}
	return differ;
}

/* All differences are told, not only the first. */
static bool
differ(struct diff_trace *t, const struct diff_out *a,
       const struct diff_out *b, bool tell)
{
	bool recs = records_differ(t, a, b, tell);
	bool cells = cells_differ(a, b, tell);

	return counts_differ(a, b, tell) || recs || cells;
}

struct tally {
	unsigned traces, differ, refused;
	uint64_t bytes, cells, errors;
};

static size_t
lines(const struct buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->p[i] == '\n';
	return n;
}

/* Run one trace both ways. */
static void
compare(uint64_t seed, struct tally *n, bool verbose)
{
	struct diff_out a = { 0 }, b = { 0 };
	struct diff_trace t;
	struct err e = { 0 };
	bool tell = verbose || n->differ < REPORTS;

	diff_trace_init(&t, seed, DIFF_CLAUSES);
	n->traces++;
	if (diff_run_interp(&t, &a, &e) != 0 ||
	    diff_engine.run(&t, &b, &e) != 0) {
		n->refused++;
		if (n->refused <= REPORTS)
			printf("seed %llu: %s\n", (unsigned long long)seed,
			       e.msg);
		err_clear(&e);
	} else if (differ(&t, &a, &b, tell)) {
		n->differ++;
		printf("seed %llu differs (strsize %u)\n",
		       (unsigned long long)seed, t.en.sizes.strsize);
	}
	n->bytes += a.recs.n;
	n->cells += lines(&a.cells);
	n->errors += a.errors;
	diff_out_fini(&a);
	diff_out_fini(&b);
	diff_trace_fini(&t);
}

int
main(int argc, char **argv)
{
	bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
	uint64_t seed = 1;
	unsigned long count = 0;
	struct tally n = { 0 };
	int status;
	time_t end = time(NULL) + SECONDS;

	argc -= verbose;
	argv += verbose;
	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		count = strtoul(argv[2], NULL, 0);
	if (diff_engine.needs != NULL) {
		status = capable(diff_engine.needs);
		if (status != 0)
			return status;
	}
	while (count != 0 ? n.traces < count : time(NULL) < end)
		compare(seed++, &n, verbose);
	printf("%u traces of %u clauses, %llu bytes recorded, %llu cells, "
	       "%llu faults: %u differ, %u refused\n",
	       n.traces, DIFF_CLAUSES, (unsigned long long)n.bytes,
	       (unsigned long long)n.cells, (unsigned long long)n.errors,
	       n.differ, n.refused);
	return n.differ + n.refused != 0;
}
