/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_over.c - code over other consumers' jumps: in the text, in landings
 * of punned jumps, and in rooms of their trampolines.
 *
 * What there is to be written over has been found by process_beside.c, and what
 * is put back at the end is patch_over.c's affair.  Here it is read once more,
 * and the trampolines that go on to theirs are made.  One of a room stands for
 * the instruction that the room is at: it has its points, and then a jump to
 * the next one's, or behind the room.
 */
#include "engine/process/process_impl.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 4096u

static const char jump_changed[] = "another consumer's jump there has changed";
static const char no_file[] = "its code is not in a file";

/* ---- the jump ------------------------------------------------------------ */

/* Over another consumer's jump. */
static int
over_text_patch(struct engine *eng, const struct plan_window *pw, uint64_t to,
		struct err *e)
{
	const struct code_world *w = world_x86(eng->plan.fns.v[pw->fn].obj);
	uint32_t n = code_fn_window_written(&pw->w);
	const uint8_t *file = w->bytes(w->arg, pw->w.start, n);
	struct patch p = { .addr = pw->w.start,
			   .len = (uint8_t)n,
			   .look = (uint8_t)n,
			   .over = true,
			   .next = pw->next };

	if (file == NULL)
		return err_set(e, &ERR_GENERIC, 0, "%s", no_file);
	if (inject_read(&eng->in, p.addr, p.was, n) != 0)
		return err_set(e, &ERR_GENERIC, 0, "%s", text_unreadable);
	if (patch_jump(p.was, p.addr) != pw->over)
		return err_set(e, &ERR_GENERIC, 0, "%s", jump_changed);
	if (beside_lead(eng, w, &p, e) != 0)
		return -1;
	memcpy(p.back, file, n);
	memcpy(p.now, p.was, n);
	if (!x86_jmp(p.now, sizeof(pw->jmp), p.addr, to))
		return err_set(e, &ERR_GENERIC, 0, "out of reach");
	return vec_push(&eng->patches, p) ? 0 : err_nomem(e);
}

/* What is written into the landing, and what is put back with the text: what
   the file has in unused bytes of it; other landings lead on to who made
   them. */
static int
land_bytes(const struct code_world *w, struct patch *p, struct err *e)
{
	const uint8_t *file = p->land_len != PATCH_LAND
				      ? w->bytes(w->arg, p->land, p->land_len)
				      : p->land_was;
	uint8_t jmp[PATCH_LAND];

	if (file == NULL)
		return err_set(e, &ERR_GENERIC, 0, "%s", no_file);
	if (patch_land_code(jmp, p->land, p->mine) > p->land_len)
		return err_set(e, &ERR_GENERIC, 0, "out of reach");
	memcpy(p->land_back, file, p->land_len);
	memcpy(p->land_now, p->land_was, p->land_len);
	patch_land_code(p->land_now, p->land, p->mine);
	return 0;
}

/* Over the jump in another consumer's landing. */
static int
over_land_patch(struct engine *eng, const struct plan_window *pw, uint64_t to,
		struct err *e)
{
	const struct code_world *w = world_x86(eng->plan.fns.v[pw->fn].obj);
	const uint8_t *file = w->bytes(w->arg, pw->w.start, pw->w.len);
	struct patch p = { .addr = pw->w.start,
			   .len = (uint8_t)pw->w.len,
			   .look = pw->over_jump,
			   .over = true,
			   .next = pw->next,
			   .land = pw->over_land,
			   .land_len = pw->over_room,
			   .mine = to };
	uint8_t text[PATCH_MAX + PATCH_LEAD] = { 0 };
	uint32_t jump;

	if (file == NULL)
		return err_set(e, &ERR_GENERIC, 0, "%s", no_file);
	if (inject_read(&eng->in, p.addr, text, p.look) != 0 ||
	    inject_read(&eng->in, p.land, p.land_was, p.land_len) != 0)
		return err_set(e, &ERR_GENERIC, 0, "%s", text_unreadable);
	if (patch_landed(text, p.addr, &jump) != p.land ||
	    patch_landing(&eng->in, p.land) != pw->over)
		return err_set(e, &ERR_GENERIC, 0, "%s", jump_changed);
	if (!beside_holds(eng, pw))
		return err_set(e, &ERR_GENERIC, 0,
			       "another consumer's jump there is made of bytes "
			       "that cannot be kept");
	memcpy(p.back, file, p.len);
	memcpy(p.was, text, p.look);
	memcpy(p.now, text, p.len);
	if (land_bytes(w, &p, e) != 0)
		return -1;
	return vec_push(&eng->patches, p) ? 0 : err_nomem(e);
}

int
over_patch(struct engine *eng, const struct plan_window *pw, uint64_t to,
	   struct err *e)
{
	patch_rooms_led(&eng->in, pw->w.start, pw->next);
	return pw->over_land != 0 ? over_land_patch(eng, pw, to, e)
				  : over_text_patch(eng, pw, to, e);
}

/* ---- rooms --------------------------------------------------------------- */

void
over_points(struct x86_point *pts, size_t *n, const struct patch_room *room)
{
	const uint32_t at = room != NULL ? room->insn : 0;
	const bool after = room != NULL && room->after != 0;
	size_t k = 0;

	for (size_t i = 0; i < *n; i++) {
		if (pts[i].at != at || pts[i].after != after)
			continue;
		pts[k] = pts[i];
		pts[k].at = 0;
		pts[k++].after = false;
	}
	*n = k;
}

/* What is in a room now: p->was, and where it goes on, *to. */
static int
room_look(struct engine *eng, struct patch *p, uint64_t *to, struct err *e)
{
	struct patch_head h;
	uint64_t top;

	if (inject_read(&eng->in, p->addr, p->was, p->len) != 0)
		return err_set(e, &ERR_GENERIC, 0, "%s", text_unreadable);
	*to = p->addr + p->len;
	if (memcmp(p->was, patch_room_free, p->len) == 0)
		return 0;
	top = patch_jump(p->was, p->addr);
	if (top == 0 || !patch_head_read(&eng->in, p->addr, top, &h))
		return err_set(e, &ERR_GENERIC, 0, "%s", jump_changed);
	p->next = patch_alive(&eng->in, p->addr, top, false);
	if (p->next == 0)
		p->next = top;
	*to = p->next;
	return 0;
}

/* The code of a room: its address, 0 + *e.  It goes on at `next`. */
static uint64_t
room_write(struct engine *eng, const struct plan_window *pw,
	   const struct patch_room *room, const struct patch *p, uint64_t next,
	   struct err *e)
{
	struct map_region *r = &eng->map.region[pw->region];
	const uint64_t insn = pw->w.start + room->insn;
	const struct patch_head h = patch_head_make(p->addr, eng->map.shared,
						    p->len, p->len, 0, p->next);
	struct patch_rooms none = { .mark = 0 };
	struct x86_moved moved[X86_MOVED_MAX];
	size_t nmoved, n;
	struct x86_point *pts = code_points(eng, pw, r->handlers, &r->maps, &n);
	uint8_t jmp[PATCH_ROOM_SIZE];
	uint64_t to = 0;

	over_points(pts, &n, room);
	patch_rooms_mark(&none, p->addr);
	code_front(&r->buf, &none, sizeof(none));
	code_front(&r->buf, &h, sizeof(h));
	if (pts == NULL)
		err_nomem(e);
	else if (!x86_jmp(jmp, sizeof(jmp), insn, next))
		err_set(e, &ERR_GENERIC, 0, "out of reach");
	else
		to = x86_tramp(&r->buf, &r->target, jmp, insn, sizeof(jmp), pts,
			       n, moved, &nmoved, e);
	free(pts);
	return to;
}

static int
room_make(struct engine *eng, const struct plan_window *pw,
	  const struct patch_room *room, uint64_t low, struct err *e)
{
	struct patch p = { .addr = low + room->off,
			   .len = PATCH_ROOM_SIZE,
			   .look = PATCH_ROOM_SIZE,
			   .over = true,
			   .of = pw->w.start };
	uint64_t next = 0, to;

	if (p.addr / PAGE != (p.addr + p.len - 1) / PAGE)
		return err_set(e, &ERR_GENERIC, 0, "%s", jump_changed);
	if (room_look(eng, &p, &next, e) != 0)
		return -1;
	to = room_write(eng, pw, room, &p, next, e);
	if (to == 0)
		return -1;
	if (p.next != 0)
		patch_rooms_led(&eng->in, p.addr, p.next);
	patch_rooms_led(&eng->in, pw->w.start, low);
	memcpy(p.back, patch_room_free, sizeof(patch_room_free));
	if (!x86_jmp(p.now, PATCH_ROOM_SIZE, p.addr, to))
		return err_set(e, &ERR_GENERIC, 0, "out of reach");
	return vec_push(&eng->patches, p) ? 0 : err_nomem(e);
}

int
over_rooms(struct engine *eng, const struct plan_window *pw, struct err *e)
{
	struct patch_rooms r;
	uint64_t low;

	if (pw->rooms == 0)
		return 0;
	low = patch_lowest(&eng->in, pw->w.start, pw->over);
	if (!patch_rooms_read(&eng->in, pw->w.start, low, &r))
		return err_set(e, &ERR_GENERIC, 0, "%s", jump_changed);
	for (uint32_t i = 0; i < PATCH_ROOMS; i++)
		if ((pw->rooms >> i & 1) != 0 &&
		    room_make(eng, pw, &r.v[i], low, e) != 0)
			return -1;
	return 0;
}
