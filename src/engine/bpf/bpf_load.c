/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_load.c - a program's functions are linked and given to the kernel.  When
 * the verifier refuses, the message names the clause and ends with the last
 * lines of its log; but not when the program is only too large, of which the
 * log says nothing more.
 */
#include "engine/bpf/bpf_prog_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_SIZE (1u << 20)
#define LOG_TAIL 20 /* lines of the verifier's that are shown */

const char *
bpf_log_tail(const char *log, int lines)
{
	const char *p = log + strlen(log);

	for (; p > log; p--)
		if (p[-1] == '\n' && p[0] != '\0' && --lines == 0)
			break;
	return p;
}

/* The function of the last instruction that the log mentions. */
static const char *
log_function(const char *log, const struct bpf_image *img)
{
	const char *name = img->fnname.v[0];
	long at = -1;

	for (const char *p = log; p != NULL && *p != '\0';) {
		char *end;
		long n = strtol(p, &end, 10);
		if (end != p && end[0] == ':' && end[1] == ' ' && end[2] == '(')
			at = n;
		p = strchr(p, '\n');
		p = p != NULL ? p + 1 : NULL;
	}
	for (size_t i = 0; i < img->funcs.n; i++)
		if ((long)img->funcs.v[i].insn_off <= at)
			name = img->fnname.v[i];
	return name;
}

/* Where the clause stands whose code a function is.  The program's own function
   has the first clause, if that is in line. */
static struct src_loc
fn_loc(const struct maker *m, const char *name)
{
	struct src_loc none = { 0 };
	const struct dif_enabling *en = m->eng->en;

	for (size_t i = 0; i < m->u->fns.n; i++)
		if (m->u->fns.v[i]->loc.line != 0 &&
		    strcmp(m->u->fns.v[i]->name, name) == 0)
			return m->u->fns.v[i]->loc;
	return m->form == IN_MAIN ? en->clauses[m->c->clauses.v[0]]->loc : none;
}

/* The verifier said no: to which clause, and why. */
static int
load_refused(struct maker *m, struct sys_prog *p, const struct bpf_image *img,
	     int sys)
{
	const char *fn;
	char *log = calloc(1, LOG_SIZE);

	if (sys == EPERM || sys == EMFILE || sys == ENFILE || log == NULL) {
		free(log);
		return bpf_feat_error(m->e, sys, "cannot load a BPF program");
	}
	p->log = log;
	p->logsize = LOG_SIZE;
	int fd = sys_prog_load(p);
	if (fd >= 0) { /* now it does: memory, or a signal */
		free(log);
		return fd;
	}
	log[LOG_SIZE - 1] = '\0';
	fn = log_function(log, img);
	if (sys == E2BIG)
		err_set_loc(m->e, &ERR_GENERIC, fn_loc(m, fn),
			    "the program for %s probes is too large for the "
			    "kernel, which checks a million instructions at "
			    "most, those of each way through (it has %u)",
			    m->c->class->name, p->ninsns);
	else
		err_set_loc(m->e, &ERR_GENERIC, fn_loc(m, fn),
			    "the kernel refuses the program for %s probes (%u "
			    "instructions, in %s; %s):\n%s",
			    m->c->class->name, p->ninsns, fn, strerror(sys),
			    bpf_log_tail(log, LOG_TAIL));
	m->e->sys = sys;
	free(log);
	return -1;
}

static void
dump(const struct maker *m, const struct bpf_image *img)
{
	size_t f = 0;

	fprintf(stderr, "BPF program %s: %zu instructions\n", m->c->class->name,
		img->code.n);
	for (size_t i = 0; i < img->code.n; i++) {
		const struct bpf_insn *in = &img->code.v[i];
		if (f < img->funcs.n && img->funcs.v[f].insn_off == i)
			fprintf(stderr, "%s:\n", img->fnname.v[f++]);
		fprintf(stderr, "%5zu  %02x r%u r%u %+d 0x%x\n", i, in->code,
			in->dst_reg, in->src_reg, in->off, in->imm);
	}
}

int
bpf_load_unit(struct maker *m)
{
	struct bpf_image img;
	char name[16];
	int fd = -1;

	if (bpf_link_image(m->eng, m->u, &img, m->e) == 0) {
		const struct bpf_class *k = m->c->class;
		snprintf(name, sizeof(name), "dt_%s",
			 m->c->event[0] != '\0' ? m->c->event : k->name);
		struct sys_prog p = {
			.type = k->type,
			.attach_type = k->attach_type,
			.attach_btf_id = m->c->btf_id,
			.flags = k->runs == BPF_RUNS_SLEEPS ? BPF_F_SLEEPABLE
							    : 0,
			.name = name,
			.insns = img.code.v,
			.ninsns = (uint32_t)img.code.n,
			.btf_fd = img.btf_fd,
			.funcs = img.funcs.v,
			.nfuncs = (uint32_t)img.funcs.n,
		};
		if (m->eng->opts.debug)
			dump(m, &img);
		fd = sys_prog_load(&p);
		if (fd < 0)
			fd = load_refused(m, &p, &img, errno);
	}
	bpf_link_image_fini(&img);
	m->c->fd = fd;
	return fd < 0 ? -1 : 0;
}
