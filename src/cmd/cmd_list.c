/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* cmd_list.c - lists of probes (-l) and reports of stability (-v). */
#include <string.h>

#include "cmd.h"

static void
attr_lines(struct cmd *c, const char *title, dtrace_attribute_t a)
{
	cmd_out(c, "\n\t%s\n", title);
	cmd_out(c, "\t\tIdentifier Names: %s\n",
		dtrace_stability_name(a.dtat_name));
	cmd_out(c, "\t\tData Semantics:   %s\n",
		dtrace_stability_name(a.dtat_data));
	cmd_out(c, "\t\tDependency Class: %s\n",
		dtrace_class_name(a.dtat_class));
}

/* An element of the document; NULL: none, but it begins. */
static void
list_json(struct cmd *c, const dtrace_probedesc_t *pd)
{
	if (dtrace_oformat_probe(c->dtp, c->out, pd, c->verbose) != 0)
		cmd_dfatal(c, "failed to list probes");
}

/* Once, whatever is found. */
static void
heading(struct cmd *c)
{
	if (!c->heading && c->structured)
		list_json(c, NULL);
	else if (!c->heading)
		cmd_out(c, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER",
			"MODULE", "FUNCTION", "NAME");
	c->heading = true;
}

/* As C would declare it, where it has a name. */
static void
list_argument(struct cmd *c, const dtrace_probedesc_t *pd, unsigned n,
	 const char *type)
{
	char name[64];
	const char *in = strstr(type, "(*)");
	size_t len = in != NULL ? (size_t)(in - type) + 2 : strlen(type);
	const char *between = len > 0 && type[len - 1] == '*' ? "" : " ";

	if (dtrace_probe_argname(c->dtp, pd, n, name, sizeof(name)) != NULL)
		cmd_out(c, "\t\targs[%u]: %.*s%s%s%s\n", n, (int)len, type,
			between, name, type + len);
	else
		cmd_out(c, "\t\targs[%u]: %s\n", n, type);
}

/* A field at the right of a column that is followed by a blank; what
   follows. */
static char *
list_column(char *to, size_t width, const char *text)
{
	size_t len = strlen(text), pad = len < width ? width - len : 0;

	memset(to, ' ', pad);
	memcpy(to + pad, text, len);
	to[pad + len] = ' ';
	return to + pad + len + 1;
}

static char *
list_number(char *buf, size_t n, unsigned v)
{
	char *p = buf + n;

	*--p = '\0';
	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v != 0);
	return p;
}

/* As heading(); by hand, since printf() was a third of the time of a long
   list. */
static void
list_row(struct cmd *c, const dtrace_probedesc_t *pd)
{
	char line[sizeof(*pd) + 128], id[16], *p = line;

	p = list_column(p, 5, list_number(id, sizeof(id), pd->dtpd_id));
	p = list_column(p, 10, pd->dtpd_provider);
	p = list_column(p, 17, pd->dtpd_mod);
	p = list_column(p, 33, pd->dtpd_func);
	p = list_column(p, 0, pd->dtpd_name);
	p[-1] = '\n';
	cmd_put(c, line, (size_t)(p - line));
}

static int
list_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pd, void *arg)
{
	struct cmd *c = arg;
	dtrace_probeinfo_t pi;

	if (c->structured) {
		list_json(c, pd);
		return 0;
	}
	list_row(c, pd);
	if (!c->verbose)
		return 0;
	dtrace_probedesc_t one = { .dtpd_id = pd->dtpd_id };
	if (dtrace_probe_info(dtp, &one, &pi) != 0)
		return 0;
	attr_lines(c, "Probe Description Attributes", pi.dtp_attr);
	attr_lines(c, "Argument Attributes", pi.dtp_arga);
	cmd_out(c, "\n\tArgument Types\n");
	for (int i = 0; i < pi.dtp_argc; i++)
		list_argument(c, &one, (unsigned)i, pi.dtp_argv[i]);
	if (pi.dtp_argc == 0)
		cmd_out(c, "\t\tNone\n");
	cmd_out(c, "\n");
	return 0;
}

void
cmd_list_all(struct cmd *c)
{
	heading(c);
	if (dtrace_probe_iter(c->dtp, NULL, list_probe, c) != 0)
		cmd_dfatal(c, "failed to list probes");
}

struct list_arg {
	struct cmd *c;
	const struct cmd_prog *p;
};

static int
stop_there(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pd, void *arg)
{
	(void)dtp;
	(void)pd;
	(void)arg;
	return 1;
}

void
cmd_list_before(struct cmd *c, const struct cmd_prog *p)
{
	const char *text = p->text;
	size_t n = strcspn(text, ":/{ \t\n");
	dtrace_probedesc_t pd = { 0 };

	if (p->is_file || n == 0 || n >= sizeof(pd.dtpd_provider) ||
	    (p->spec != DTRACE_PROBESPEC_PROVIDER && text[n] != ':'))
		return;
	memcpy(pd.dtpd_provider, text, n);
	/* What is wrong with it the compiler says. */
	(void)dtrace_probe_iter(c->dtp, &pd, stop_there, NULL);
}

static int
list_clause(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
	    const dtrace_probedesc_t *pd, void *arg)
{
	struct list_arg *la = arg;
	char text[DTRACE_FUNCNAMELEN + 3 * DTRACE_NAMELEN + 4];

	if (dtrace_probe_iter(dtp, pd, list_probe, la->c) != 0) {
		cmd_error("failed to match %s: %s%s",
			  dtrace_desc2str(pd, text, sizeof(text)),
			  cmd_error_tag(la->c),
			  dtrace_errmsg(dtp, dtrace_errno(dtp)));
		la->c->status = 1;
	}
	return 0;
}

void
cmd_list_prog(struct cmd *c, const struct cmd_prog *p)
{
	struct list_arg la = { c, p };

	heading(c);
	dtrace_stmt_iter(c->dtp, p->prog, list_clause, &la);
}

void
cmd_stability(struct cmd *c, const struct cmd_prog *p)
{
	cmd_out(c, "\nStability attributes for %s %s:\n", p->desc, p->name);
	attr_lines(c, "Minimum Probe Description Attributes",
		   p->info.dpi_descattr);
	attr_lines(c, "Minimum Statement Attributes", p->info.dpi_stmtattr);
	cmd_out(c, "\n");
}
