/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_text.c - the patches of windows: what is written over the text so
 * that it leads to their trampolines.
 *
 *	window		jmp trampoline
 *	hop		jmp short hop; there: jmp trampoline
 *	landed		jmp landing (process_pun.c); there: jmp trampoline
 *	over another's	process_over.c
 *
 * Only code that is what the file has is written over, all of it that a window
 * runs elsewhere; patch.c compares once more when it writes.
 */
#include "engine/process/process_impl.h"

#include <string.h>

/* jmp rel8 */
static void
short_jmp(uint8_t *out, uint32_t len, uint64_t from, uint64_t to)
{
	memset(out, 0x90, len);
	out[0] = 0xeb;
	out[1] = (uint8_t)(to - (from + 2));
}

const char text_unreadable[] = "its code cannot be read";

void
text_begin(struct engine *eng, struct text_seen *s)
{
	s->addr = 0;
	eng->seen = s;
}

void
text_end(struct engine *eng)
{
	eng->seen = NULL;
}

/* What the process has there, of one page; NULL: it is not of one, or cannot be
   read so. */
static const uint8_t *
text_seen(struct engine *eng, uint64_t addr, uint32_t len)
{
	struct text_seen *s = eng->seen;
	uint64_t page = addr & ~(uint64_t)(TEXT_SEEN - 1);

	if (s == NULL || len > page + TEXT_SEEN - addr)
		return NULL;
	if (s->addr != page) {
		s->addr = 0;
		if (inject_read(&eng->in, page, s->bytes, TEXT_SEEN) != 0)
			return NULL;
		s->addr = page;
	}
	return s->bytes + (addr - page);
}

/* Only what the file has has been analysed. */
int
text_check(struct engine *eng, const uint8_t *bytes, uint64_t addr,
	   uint32_t len, struct err *e)
{
	const uint8_t *seen = text_seen(eng, addr, len);
	uint8_t is[4096];
	uint32_t n;

	if (seen != NULL && memcmp(seen, bytes, len) == 0)
		return 0;
	for (uint32_t at = 0; at < len; at += n) {
		n = len - at < sizeof(is) ? len - at : (uint32_t)sizeof(is);
		if (inject_read(&eng->in, addr + at, is, n) != 0)
			return err_set(e, &ERR_GENERIC, 0, "%s",
				       text_unreadable);
		if (memcmp(is, bytes + at, n) != 0)
			return err_set(e, &ERR_GENERIC, 0,
				       "its code differs from what is in the "
				       "file (another consumer has probes "
				       "there, or the program changes itself)");
	}
	return 0;
}

/* reads: so many bytes behind it are looked at as well. */
static int
patch_add(struct engine *eng, const struct code_world *w, uint64_t addr,
	  uint32_t len, uint32_t reads, const uint8_t *now, bool landing,
	  struct err *e)
{
	struct patch p = { .addr = addr,
			   .len = (uint8_t)len,
			   .look = (uint8_t)(len + reads),
			   .landing = landing };
	const uint8_t *was = w->bytes(w->arg, addr, len + reads);

	if (was == NULL)
		return err_set(e, &ERR_GENERIC, 0, "its code is not in a file");
	if (text_check(eng, was, addr, len + reads, e) != 0)
		return -1;
	if (beside_lead(eng, w, &p, e) != 0)
		return -1;
	memcpy(p.was, was, len + reads);
	memcpy(p.now, now, len);
	return vec_push(&eng->patches, p) ? 0 : err_nomem(e);
}

/* All of a window runs elsewhere, also what is not written. */
static int
window_check(struct engine *eng, const struct plan_window *pw,
	     const struct code_world *w, struct err *e)
{
	const uint8_t *was = w->bytes(w->arg, pw->w.start, pw->w.len);

	if (was == NULL)
		return err_set(e, &ERR_GENERIC, 0, "its code is not in a file");
	return text_check(eng, was, pw->w.start, pw->w.len, e);
}

/* A window whose jump leads to a landing, and from there to the trampoline. */
static int
landed_patch(struct engine *eng, const struct plan_window *pw, uint64_t to,
	     struct err *e)
{
	const struct plan *p = &eng->plan;
	const struct code_world *w = world_x86(p->fns.v[pw->fn].obj);
	uint8_t now[PATCH_MAX];
	uint32_t n = plan_pun_bytes(pw, now);

	if (n == 0)
		return err_set(e, &ERR_GENERIC, 0, "out of reach");
	if (!plan_pun_holds(p, pw))
		return err_set(e, &ERR_GENERIC, 0,
			       "the code behind it cannot be changed so that "
			       "its jump would lead to us");
	if (land_write(p->land, eng, pw->land, to, e) != 0)
		return -1;
	if (pw->trap != 0) /* at least it can be tried */
		(void)land_write(p->land, eng, pw->trap, to,
				 &(struct err){ 0 });
	if (patch_add(eng, w, pw->w.start, n, plan_pun_reads(pw), now, false,
		      e) != 0)
		return -1;
	eng->patches.v[eng->patches.n - 1].land = pw->land;
	eng->patches.v[eng->patches.n - 1].mine = to;
	return 0;
}

int
text_patch(struct engine *eng, const struct plan_window *pw, uint64_t to,
	   struct err *e)
{
	const struct code_world *w = world_x86(eng->plan.fns.v[pw->fn].obj);
	uint32_t n = code_fn_window_written(&pw->w);
	uint8_t now[PATCH_MAX];

	if (pw->w.len > PATCH_MAX)
		return err_set(e, &ERR_GENERIC, 0, "its window is too long");
	if (pw->over != 0)
		return over_patch(eng, pw, to, e);
	if (n < pw->w.len && window_check(eng, pw, w, e) != 0)
		return -1;
	if (pw->land != 0)
		return landed_patch(eng, pw, to, e);
	if (pw->w.kind == CODE_WIN_HOP) {
		short_jmp(now, n, pw->w.start, pw->w.hop);
		if (patch_add(eng, w, pw->w.start, n, 0, now, false, e) != 0)
			return -1;
		eng->patches.v[eng->patches.n - 1].land = pw->w.hop;
		eng->patches.v[eng->patches.n - 1].mine = to;
		if (!x86_jmp(now, 5, pw->w.hop, to))
			return err_set(e, &ERR_GENERIC, 0, "out of reach");
		return patch_add(eng, w, pw->w.hop, 5, 0, now, true, e);
	}
	if (!x86_jmp(now, n, pw->w.start, to))
		return err_set(e, &ERR_GENERIC, 0, "out of reach");
	return patch_add(eng, w, pw->w.start, n, 0, now, false, e);
}
