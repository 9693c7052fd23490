/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_tps.c - many tracepoints by few programs.
 *
 * Where a kernel gives raw tracepoints cookies (Linux 6.10), one program can
 * serve many: the cookie is the element of its site map.  The kernel refuses a
 * program that reads more words than a tracepoint has, so there is one for each
 * number of words.  Few tracepoints have a program each all the same: that
 * fires in less time, and one that interrupts another is not missed (decision
 * 66).
 */
#include "engine/bpf/bpf_impl.h"

#include "base/hash.h"

#define TPS_MANY  64
#define WORDS_MAX 16

/* ---- how many there are -------------------------------------------------- */

static bool
tps_more(const struct engine *eng)
{
	struct hash *h = hash_new();
	bool more = false;

	for (size_t i = 0; h != NULL && i < eng->places.n && !more; i++) {
		const struct dif_site *s = eng->places.v[i].site;

		if (s->kind != DIF_SITE_TP)
			continue;
		/* Without memory there are few. */
		if (hash_set_str(h, s->tp, h) != 0)
			break;
		more = hash_count(h) > TPS_MANY;
	}
	hash_free(h);
	return more;
}

/* ---- how many words a site reads ----------------------------------------- */

static void
words_of(const struct dif_recipe *r, int64_t *n)
{
	if (r->kind == DIF_RCP_TPARG && r->val >= *n)
		*n = r->val + 1;
}

static int64_t
words_read(const struct dif_site *s)
{
	int64_t n = 0;

	for (unsigned i = 0; s->args != NULL && i < DIF_NARGS; i++)
		words_of(&s->args->arg[i], &n);
	for (uint32_t i = 0; s->when != NULL && i < s->when->n; i++)
		words_of(&s->when->v[i].what, &n);
	if (s->when != NULL)
		words_of(&s->when->once, &n);
	return n;
}

const char *
bpf_event_words(const struct dif_site *s)
{
	static const char *const names[WORDS_MAX] = {
		"tps_0",  "tps_1",  "tps_2",  "tps_3", "tps_4",	 "tps_5",
		"tps_6",  "tps_7",  "tps_8",  "tps_9", "tps_10", "tps_11",
		"tps_12", "tps_13", "tps_14", "tps_15"
	};
	int64_t n = words_read(s);

	return n < WORDS_MAX ? names[n] : s->tp;
}

bool
bpf_have_many_tps(struct engine *eng, const struct dif_site *s,
		  uint32_t *btf_id)
{
	if (s->thread.kind != DIF_RCP_NONE || words_read(s) >= WORDS_MAX)
		return false;
	if (eng->tps == BPF_TPS_UNKNOWN)
		eng->tps = tps_more(eng) && bpf_feat_tp_cookie()
				   ? BPF_TPS_MANY
				   : BPF_TPS_FEW;
	return eng->tps == BPF_TPS_MANY;
}
