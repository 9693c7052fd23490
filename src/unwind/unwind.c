/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unwind.c - tables in a pool: written once for a file, found again by its
 * build-id, never changed nor taken out.
 */
#include "unwind/unwind_impl.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_SPAN ((uint64_t)1 << RT_UNW_PAGE_BITS)

/* ---- rules --------------------------------------------------------------- */

static uint64_t *
pool_rules(struct unwind *u)
{
	return (uint64_t *)(void *)u->pool;
}

uint32_t
unwind_rule(struct unwind *u, const struct rt_unw_rule *r)
{
	uint64_t *rules = pool_rules(u), bits;
	size_t at;

	memcpy(&bits, r, sizeof(bits));
	if (bits == rules[UNWIND_RULE_NONE])
		return UNWIND_RULE_NONE;
	at = hash_bytes(&bits, sizeof(bits)) % UNWIND_SLOTS;
	while (u->slot[at] != 0 && rules[u->slot[at]] != bits)
		at = (at + 1) % UNWIND_SLOTS;
	if (u->slot[at] != 0)
		return u->slot[at];
	if (u->nrules == RT_UNW_RULES)
		return UNWIND_RULE_UNKNOWN;
	rules[u->nrules] = bits;
	u->slot[at] = (uint16_t)u->nrules;
	return u->nrules++;
}

struct unwind *
unwind_new(uint32_t *pool, size_t words)
{
	const struct rt_unw_rule unknown = { .kind = RT_UNW_UNKNOWN };
	struct unwind *u = calloc(1, sizeof(*u));

	if (u == NULL)
		return NULL;
	u->pool = pool;
	u->words = words;
	u->used = 2 * RT_UNW_RULES;
	u->nrules = 1; /* none: all zeroes */
	u->byid = hash_new();
	u->byfile = hash_new();
	if (u->byid == NULL || u->byfile == NULL) {
		unwind_free(u);
		return NULL;
	}
	(void)unwind_rule(u, &unknown);
	return u;
}

static void
tables_free(struct hash *h)
{
	size_t pos = 0, len;
	const void *key;
	void *val;

	if (h == NULL)
		return;
	while (hash_next(h, &pos, &key, &len, &val))
		free(val);
	hash_free(h);
}

void
unwind_free(struct unwind *u)
{
	if (u == NULL)
		return;
	tables_free(u->byid);
	tables_free(u->byfile);
	free(u);
}

/* ---- a table ------------------------------------------------------------- */

/* Writes rows at the end of the pool; nothing if there is no room. */
struct table_writer {
	struct unwind *u;
	uint32_t *page;	   /* the table's index */
	size_t at, end;	   /* words of the pool */
	uint64_t first;	   /* page of the file */
	uint64_t next;	   /* page whose beginning is to be written next */
	uint32_t in_page;  /* rows of the present page */
};

static void
table_row(struct table_writer *w, uint32_t low, uint32_t rule)
{
	if (w->in_page == RT_UNW_ROWS_MAX)
		return;
	if (++w->in_page == RT_UNW_ROWS_MAX)
		rule = UNWIND_RULE_UNKNOWN; /* of this and what would follow */
	/* A row that begins where the page does takes the place of the
	   first. */
	if (low == 0 && w->in_page == 2) {
		w->in_page = 1;
		w->at--;
	}
	if (w->at < w->end)
		w->u->pool[w->at] = low << 16 | rule;
	w->at++;
}

/* Begin all pages up to that of offset `to`, where `rule` holds. */
static void
table_pages(struct table_writer *w, uint64_t to, uint32_t rule)
{
	for (; w->next <= to >> RT_UNW_PAGE_BITS; w->next++) {
		if (w->at < w->end)
			w->page[w->next - w->first] = (uint32_t)w->at;
		w->in_page = 0;
		table_row(w, 0, rule);
	}
}

static void
table_rows(struct table_writer *w, const struct unwind_row *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		table_pages(w, v[i].lo, UNWIND_RULE_NONE);
		table_row(w, (uint32_t)(v[i].lo % PAGE_SPAN), v[i].rule);
		table_pages(w, v[i].hi - 1, v[i].rule);
		if (i + 1 < n && v[i + 1].lo == v[i].hi)
			continue;
		if (v[i].hi % PAGE_SPAN != 0)
			table_row(w, (uint32_t)(v[i].hi % PAGE_SPAN),
				  UNWIND_RULE_NONE);
	}
}

static void
table_write(struct unwind *u, const struct unwind_rows *r,
	    struct unwind_table *t)
{
	const struct unwind_row *v = r->list.v;
	size_t n = r->list.n;
	struct table_writer w = { .u = u, .end = u->words };

	if (n == 0)
		return;
	w.first = w.next = v[0].lo >> RT_UNW_PAGE_BITS;
	uint64_t npages = ((v[n - 1].hi - 1) >> RT_UNW_PAGE_BITS) - w.first + 1;
	if (npages + 1 + n > u->words - u->used) {
		u->nleft++;
		return;
	}
	w.page = u->pool + u->used;
	w.at = u->used + npages + 1;
	table_rows(&w, v, n);
	if (w.at > w.end) {
		u->nleft++;
		return;
	}
	u->ntables++;
	w.page[npages] = (uint32_t)w.at;
	t->tab = (uint32_t)u->used;
	t->npages = (uint32_t)npages;
	t->first = (uint32_t)w.first;
	u->used = w.at;
}

static bool
table_make(struct unwind *u, struct elf_file *f, struct unwind_table *t)
{
	struct unwind_rows r = { .u = u, .f = f };
	bool ok = unwind_rows(&r);

	if (ok)
		table_write(u, &r, t);
	vec_fini(&r.list);
	return ok;
}

/* What a process that maps it is to know besides. */
static void
table_code(struct elf_file *f, struct unwind_table *t)
{
	uint64_t size;

	unwind_python_file(f, &t->py);
	if (!elf_text(f, &t->code_at, &size) ||
	    !elf_addr_to_off(f, t->code_at, &t->code_off))
		t->code_at = t->code_off = 0;
}

bool
unwind_file(struct unwind *u, struct elf_file *f, struct unwind_table *t)
{
	struct unwind_table *kept;
	size_t n;
	const void *id = elf_section(f, ".note.gnu.build-id", &n, NULL);

	*t = (struct unwind_table){ 0 };
	kept = id != NULL && n != 0 ? hash_find(u->byid, id, n) : NULL;
	if (kept != NULL) {
		*t = *kept;
		return true;
	}
	if (!table_make(u, f, t))
		return false;
	table_code(f, t);
	if (id == NULL || n == 0)
		return true;
	kept = malloc(sizeof(*kept));
	if (kept == NULL)
		return false;
	*kept = *t;
	if (hash_set(u->byid, id, n, kept) == 0)
		return true;
	free(kept);
	return false;
}

void
unwind_report(const struct unwind *u, struct buf *out)
{
	buf_printf(out, "tables for ustack(): %u files, %zu KB", u->ntables,
		   u->used * sizeof(*u->pool) / 1024);
	if (u->nleft != 0)
		buf_printf(out,
			   "; %u more files found no room in %zu KB, and stacks "
			   "may end there",
			   u->nleft, u->words * sizeof(*u->pool) / 1024);
	buf_printf(out, "\n");
}
