/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show.c - a program written back as D while it is compiled (dtrace -d).
 *
 * What is written compiles again and does the same.  Clauses with if statements
 * are written as the clauses that check.c makes of them, part by part as it
 * does so: this file does not know how.  The variables that hold conditions
 * have names there that no program can have; here they get one that this
 * program does not have.  Macros stand as what they were replaced by, and
 * control lines, declarations, inlines, translators and providers (show_item.c)
 * in their places.
 */
#include "lang/show_impl.h"

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

void
show_pragma(struct compile *cx, const char *line)
{
	if (cx->show != NULL)
		buf_printf(cx->show->out, "#pragma D %s\n",
			   line + strspn(line, " \t"));
}

/* ---- clauses ------------------------------------------------------------- */

void
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
		/* Not together: what begins with a star is no comment. */
		buf_puts(sh->out, "/ ");
		show_expr(sh, pred, SHOW_COMMA);
		buf_puts(sh->out, " /\n");
	}
	buf_puts(sh->out, "{\n");
}

void
show_clause(struct compile *cx, const struct clause_node *c)
{
	if (cx->show == NULL)
		return;
	show_head(cx->show, c->pdescs, c->npdescs, c->pred);
	for (uint32_t i = 0; i < c->nbody; i++)
		show_line(cx->show, c->body[i]->left);
	buf_puts(cx->show->out, "}\n");
}

/* ---- parts of clauses ---------------------------------------------------- */

void
show_part(struct compile *cx, const struct dif_pdesc *pd,
	  const struct node *pred)
{
	if (cx->show != NULL)
		show_head(cx->show, pd, 1, pred);
}

void
show_stmt(struct compile *cx, const struct node *s)
{
	show_effect(cx, s->left);
}

void
show_effect(struct compile *cx, const struct node *e)
{
	if (cx->show != NULL)
		show_line(cx->show, e);
}

void
show_speculate(struct compile *cx, const struct node *id)
{
	if (cx->show == NULL || id == NULL)
		return;
	buf_puts(cx->show->out, "\tspeculate(");
	show_expr(cx->show, id, SHOW_ASSIGN);
	buf_puts(cx->show->out, ");\n");
}

void
show_part_end(struct compile *cx)
{
	if (cx->show != NULL)
		buf_puts(cx->show->out, "}\n");
}
