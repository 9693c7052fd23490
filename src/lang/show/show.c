/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show.c - a program written back as D while it is compiled (dtrace -d).
 *
 * What is written compiles again and does the same.  Clauses with if statements
 * are written as the clauses that clause.c has made of them (struct part): this
 * file does not know how.  The variables that hold conditions
 * have names there that no program can have; here they get one that this
 * program does not have.  Macros stand as what they were replaced by, and
 * control lines, declarations, inlines, translators and providers (show_item.c)
 * in their places.
 */
#include "lang/show/show_impl.h"

#include <stdio.h>
#include <string.h>

/* ---- a compile ----------------------------------------------------------- */

static bool
in_program(const struct lang_src *src, const char *word)
{
	if (memmem(src->text, src->len, word, strlen(word)) != NULL)
		return true;
	for (int i = 0; i < src->argc; i++)
		if (strstr(src->argv[i], word) != NULL)
			return true;
	return false;
}

/* if_, or if0_, if1_ ...: what no word of the program begins with. */
static void
hidden_prefix(struct compile *cx, struct show *sh)
{
	snprintf(sh->hidden, sizeof(sh->hidden), "if_");
	for (unsigned i = 0; in_program(cx->src, sh->hidden); i++)
		snprintf(sh->hidden, sizeof(sh->hidden), "if%u_", i);
}

void
show_begin(struct compile *cx)
{
	const struct lang_show *want = cx->src->show;
	struct show *sh;

	if (want == NULL || want->text == NULL)
		return;
	sh = arena_calloc(cx->arena, 1, sizeof(*sh));
	sh->out = want->text;
	hidden_prefix(cx, sh);
	sh->types = type_writer_new(cx->types, false);
	if (sh->types == NULL)
		lang_nomem(cx);
	cx->show = sh;
}

void
show_end(struct compile *cx)
{
	if (cx->show != NULL)
		type_writer_free(cx->show->types);
	cx->show = NULL;
}

/* ---- clauses ------------------------------------------------------------- */

/* Any statement at the depth of a clause. */
static void
show_line(struct show *sh, const struct node *e)
{
	buf_putc(sh->out, '\t');
	show_expr(sh, e, SHOW_COMMA);
	buf_puts(sh->out, ";\n");
}

/* Fields at the left that are empty need not be there. */
static void
show_pdesc(struct show *sh, const struct dif_pdesc *pd)
{
	const char *field[] = { pd->prov, pd->mod, pd->func, pd->name };
	int i = 0;

	if (pd->id != 0) {
		buf_printf(sh->out, "%u", pd->id);
		return;
	}
	while (i < 3 && field[i][0] == '\0' && pd->name[0] != '\0')
		i++;
	for (; i < 4; i++)
		buf_printf(sh->out, "%s%s", field[i], i < 3 ? ":" : "");
}

static void
show_head(struct show *sh, const struct dif_pdesc *pds, uint32_t n,
	  const struct node *pred)
{
	if (sh->out->n != 0)
		buf_putc(sh->out, '\n');
	for (uint32_t i = 0; i < n; i++) {
		show_pdesc(sh, &pds[i]);
		buf_puts(sh->out, i + 1 < n ? ",\n" : "\n");
	}
	if (pred != NULL) {
		/* Not together: what begins with a star is no comment.  An
		   assignment in parentheses is taken as meant. */
		const bool assigns = pred->kind == NODE_ASSIGN;

		buf_puts(sh->out, assigns ? "/ (" : "/ ");
		show_expr(sh, pred, SHOW_COMMA);
		buf_puts(sh->out, assigns ? ") /\n" : " /\n");
	}
	buf_puts(sh->out, "{\n");
}

/* All probe descriptions, one body. */
static void
show_whole(struct show *sh, const struct clause_node *c)
{
	show_head(sh, c->pdescs, c->npdescs, c->pred);
	for (uint32_t i = 0; i < c->nbody; i++)
		show_line(sh, c->body[i]->left);
	buf_puts(sh->out, "}\n");
}

static void
show_part(struct show *sh, const struct part *p)
{
	show_head(sh, p->pdesc, 1, p->pred);
	if (p->spec != NULL) {
		buf_puts(sh->out, "\tspeculate(");
		show_expr(sh, p->spec, SHOW_ASSIGN);
		buf_puts(sh->out, ");\n");
	}
	for (uint32_t i = 0; i < p->nstmts; i++)
		show_line(sh, p->stmts[i]);
	buf_puts(sh->out, "}\n");
}

/* ---- what has been made -------------------------------------------------- */

static void
show_item_text(struct compile *cx, const struct item *it)
{
	struct show *sh = cx->show;
	const struct shown *m = &cx->shown;

	for (uint32_t i = 0; i < m->nlines; i++)
		buf_printf(sh->out, "#pragma D %s\n",
			   m->lines[i] + strspn(m->lines[i], " \t"));
	if (it == NULL)
		return;
	if (it->kind != ITEM_CLAUSE)
		show_item(sh, cx->types, it);
	else if (m->nparts == 0)
		show_whole(sh, &it->clause);
	for (uint32_t i = 0; i < m->nparts; i++)
		show_part(sh, &m->parts[i]);
}

void
show_parsed(struct compile *cx, const struct item *it)
{
	if (it->kind == ITEM_CLAUSE)
		show_tree_clause(cx, &it->clause);
}

void
show_made(struct compile *cx, const struct item *it)
{
	for (uint32_t i = 0; i < cx->shown.nchecked; i++)
		show_tree_checked(cx, cx->shown.checked[i]);
	if (cx->show != NULL)
		show_item_text(cx, it);
	cx->shown = (struct shown){ 0 };
}
