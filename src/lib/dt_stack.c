/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_stack.c - stacks and symbols as text.
 *
 * A stack starts on a line of its own and has one frame a line, indented; it
 * ends at the first zero pc, or where the recorded frames end.  What has no
 * symbol is shown as its address.
 */
#include "lib/dt_out.h"

#include <inttypes.h>

#include "base/utf8.h"

void
dt_sym_plain(struct buf *out, size_t from)
{
	if (from < out->n)
		utf8_plain(out->p + from);
}

void
dt_sym_kaddr(const struct dt_syms *s, uint64_t addr, enum dt_sym_what what,
	     struct buf *out)
{
	size_t before = out->n;

	if (s->kaddr != NULL)
		s->kaddr(s->arg, addr, what, out);
	if (out->n == before)
		buf_printf(out, "0x%" PRIx64, addr);
}

void
dt_sym_uaddr(const struct dt_syms *s, pid_t pid, uint64_t addr,
	     enum dt_sym_what what, struct buf *out)
{
	size_t before = out->n;

	if (s->uaddr != NULL && pid != 0)
		s->uaddr(s->arg, pid, addr, what, out);
	dt_sym_plain(out, before);
	if (out->n == before)
		buf_printf(out, "0x%" PRIx64, addr);
}

void
dt_sym_action(const struct dt_syms *s, uint32_t act, pid_t pid, uint64_t addr,
	      struct buf *out)
{
	switch (act) {
	case DIF_ACT_MOD:
		dt_sym_kaddr(s, addr, DT_SYM_MOD, out);
		return;
	case DIF_ACT_UMOD:
		dt_sym_uaddr(s, pid, addr, DT_SYM_MOD, out);
		return;
	case DIF_ACT_USYM:
	case DIF_ACT_UFUNC:
		dt_sym_uaddr(s, pid, addr, DT_SYM_NAME, out);
		return;
	case DIF_ACT_UADDR:
		dt_sym_uaddr(s, pid, addr, DT_SYM_OFF, out);
		return;
	default: /* sym(), func() */
		dt_sym_kaddr(s, addr, DT_SYM_NAME, out);
		return;
	}
}

void
dt_print_stack(struct dt_out *o, const struct dt_val *v, int indent)
{
	const uint8_t *p = v->p, *end = v->p + v->n;
	bool user = v->kind == DT_VAL_USTACK;
	enum dt_sym_what what;
	pid_t pid = 0;
	uint64_t pc;

	if (user && v->n >= 8) {
		pid = (pid_t)dt_val_u64(p);
		p += 8;
	}
	const uint8_t *start = p;
	buf_putc(&o->text, '\n');
	for (; end - p >= 8; p += 8) {
		pc = dt_val_u64(p);
		if (pc == 0)
			break;
		what = p == start ? DT_SYM_OFF : DT_SYM_CALL;
		buf_printf(&o->text, "%*s", indent, "");
		if (!user)
			dt_sym_kaddr(&o->syms, pc, what, &o->text);
		else if (o->syms.uframe != NULL && pid != 0)
			o->syms.uframe(o->syms.arg, pid, pc, p == start, indent,
				       &o->text);
		else
			dt_sym_uaddr(&o->syms, pid, pc, what, &o->text);
		buf_putc(&o->text, '\n');
	}
}
