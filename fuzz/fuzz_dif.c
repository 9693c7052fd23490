/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_dif.c - any bytes as a DIF object: whatever the validator lets through
 * can be run, and printed, without harm.
 *
 *   ntext, nint, nvar  one byte each
 *   text, integers, variables (16 bytes each, as in struct dif_var)
 *   the rest: strings
 *
 * The text's opcodes are taken modulo the number of opcodes, and the last
 * instruction is made a `ret` when the first byte is even: most inputs would
 * otherwise end at the validator's first rule.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/interp/interp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INT                                                                    \
	{                                                                      \
		.ckind = DIF_CK_INT, .flags = DIF_TF_SIGNED, .size = 8         \
	}
#define STR                                                                    \
	{                                                                      \
		.kind = DIF_TYPE_STRING, .ckind = DIF_CK_STRING,               \
		.flags = DIF_TF_BYREF                                          \
	}
#define NUVARS 8

struct input {
	const uint8_t *p;
	size_t left;
};

/* n bytes in memory of their own, so that a sanitizer sees their end. */
static void *
take(struct input *in, size_t n)
{
	uint8_t *p = calloc(1, n == 0 ? 1 : n);
	size_t had = n < in->left ? n : in->left;

	if (p != NULL && had > 0)
		memcpy(p, in->p, had);
	in->p += had;
	in->left -= had;
	return p;
}

static void
tame(struct dif_obj *o)
{
	for (uint32_t i = 0; i < o->ntext; i++)
		o->text[i] = (o->text[i] & 0xffffff) |
			     (o->text[i] >> 24) % DIF_OP_MAX << 24;
	if (o->ntext > 0)
		o->text[o->ntext - 1] =
			DIF_INSTR_R(DIF_OP_RET, 0, 0, o->ntext % DIF_NREGS);
}

static void
object(struct dif_obj *o, struct input *in)
{
	uint8_t head[4] = { 0 };

	memcpy(head, in->p, sizeof(head));
	in->p += sizeof(head);
	in->left -= sizeof(head);
	o->ntext = head[0] + 1u;
	o->nint = head[1] % 32;
	o->nvar = head[2] % 16;
	o->text = take(in, o->ntext * sizeof(*o->text));
	o->inttab = take(in, o->nint * sizeof(*o->inttab));
	o->vartab = take(in, o->nvar * sizeof(*o->vartab));
	o->strlen = (uint32_t)in->left;
	o->strtab = take(in, in->left);
	o->rtype = (struct dif_type)INT;
	o->destructive = head[3] & 1;
	if (head[0] % 2 == 0 && o->text != NULL)
		tame(o);
}

/* Variables of every scope and kind, by the ids that a compile would give. */
static void
variables(struct dif_tab *tab, struct dif_uvar *v, struct dif_uvar **list,
	  struct arena *a)
{
	static struct dif_type keys[] = { INT, STR };
	static const struct dif_sizes sizes = { .strsize = 64,
						.stackframes = 4,
						.ustackframes = 4 };
	uint16_t next[3] = { DIF_VAR_USER_MIN, DIF_VAR_USER_MIN,
			     DIF_VAR_USER_MIN };

	for (unsigned i = 0; i < NUVARS; i++) {
		unsigned scope = i % 4 == 3 ? DIF_SCOPE_GLOBAL : i % 4;
		bool array = i % 4 == 3;
		v[i] = (struct dif_uvar){
			.name = "v",
			.id = next[scope]++,
			.scope = (uint8_t)scope,
			.kind = array ? DIF_VK_ARRAY : DIF_VK_SCALAR,
			.keys = array ? keys : NULL,
			.nkeys = array ? 2 : 0,
		};
		if (i < NUVARS / 2)
			v[i].type = (struct dif_type)INT;
		else
			v[i].type = (struct dif_type)STR;
		list[i] = &v[i];
	}
	*tab = (struct dif_tab){ .vars = list, .nvars = NUVARS };
	dif_layout(NULL, 0, tab, &sizes, a);
}

static void
run(const struct dif_obj *o)
{
	static uint64_t globals[4096], thread[4096];
	struct dif_uvar v[NUVARS], *list[NUVARS];
	struct arena *a = arena_new();
	struct dif_tab tab;
	struct rt_host host = { .sizes = { .strsize = 64,
					   .stackframes = 4,
					   .ustackframes = 4 } };
	struct rt *rt;

	memset(globals, 0, sizeof(globals));
	memset(thread, 0, sizeof(thread));
	variables(&tab, v, list, a);
	host.tab = &tab;
	host.globals = (uint8_t *)globals;
	host.thread = (uint8_t *)thread;
	rt = interp_rt_new(&host);
	if (rt != NULL && tab.globals_size <= sizeof(globals) &&
	    tab.thread_size <= sizeof(thread)) {
		interp_run(rt, o);
		interp_run(rt, o); /* with what the first one left */
	}
	interp_rt_free(rt);
	interp_assoc_free(&host);
	arena_free(a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct dif_obj o = { 0 };
	struct buf text = BUF_INIT;
	struct err e = { 0 };

	if (size < 4)
		return 0;
	object(&o, &in);
	if (o.text != NULL && o.inttab != NULL && o.vartab != NULL &&
	    o.strtab != NULL && dif_validate(&o, &e) == 0) {
		dif_disasm(&o, &text);
		run(&o);
	}
	buf_fini(&text);
	free(o.text);
	free(o.inttab);
	free(o.vartab);
	free(o.strtab);
	return 0;
}
