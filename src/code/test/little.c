/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* little.c - see little.h. */
#include "code/test/little.h"

static const uint8_t *
l_bytes(void *arg, uint64_t addr, size_t n)
{
	struct little *l = arg;
	uint64_t at = addr - BASE;

	return at > sizeof(l->code) || n > sizeof(l->code) - at ? NULL
								: l->code + at;
}

static bool
l_is_fn(void *arg, uint64_t addr)
{
	struct little *l = arg;

	for (int i = 0; i < 4; i++)
		if (l->fns[i] != 0 && addr == BASE + l->fns[i])
			return true;
	return false;
}

static bool
l_entered(void *arg, uint64_t lo, uint64_t hi, size_t n, uint64_t *addr)
{
	struct little *l = arg;

	for (int i = 0; i < 4; i++) {
		if (l->entered[i] == 0 || BASE + l->entered[i] < lo ||
		    BASE + l->entered[i] >= hi || n-- != 0)
			continue;
		*addr = BASE + l->entered[i];
		return true;
	}
	return false;
}

static bool
l_taken(void *arg, uint64_t addr, uint64_t n)
{
	struct little *l = arg;

	return l->taken != 0 && BASE + l->taken - addr < n;
}

static bool
l_pinned(void *arg, uint64_t addr, uint64_t n)
{
	struct little *l = arg;

	return l->pinned != 0 && BASE + l->pinned - addr < n;
}

bool
l_waits(void *arg, uint64_t addr, bool later)
{
	struct little *l = arg;

	return addr - BASE == l->waits ||
	       (later && addr - BASE == l->waits_later);
}

static bool
l_pointer(void *arg, uint64_t addr, uint64_t *to)
{
	const struct little *l = arg;
	uint64_t i = (addr - BASE - l->ptr_at) / 8;
	const uint8_t *p = l_bytes(arg, addr, 8);

	if (l->ptr_at == 0 && p != NULL)
		memcpy(to, p, 8);
	if (l->ptr_at == 0 || i >= 4 || l->ptr_to[i] == 0)
		return l->ptr_at == 0 && p != NULL;
	*to = BASE + l->ptr_to[i];
	return true;
}

/* In order. */
static bool
l_held(void *arg, uint64_t lo, uint64_t hi, size_t n, uint64_t *addr)
{
	const struct little *l = arg;

	for (int i = 0; l->ptr_at != 0 && i < 4; i++) {
		uint64_t to = BASE + l->ptr_to[i];

		if (l->ptr_to[i] == 0 || to < lo || to >= hi || n-- != 0)
			continue;
		*addr = to;
		return true;
	}
	return false;
}

void
l_init(struct little *l)
{
	memset(l, 0, sizeof(*l));
	memset(l->code, 0xcc, sizeof(l->code));
	l->w = (struct code_world){ .arg = l,
				    .bytes = l_bytes,
				    .is_fn = l_is_fn,
				    .entered = l_entered,
				    .knows_jumps = true,
				    .taken = l_taken,
				    .pinned = l_pinned,
				    .pointer = l_pointer,
				    .held = l_held };
}

void
analyse(struct little *l, uint64_t off, uint64_t size)
{
	struct code_part p = { BASE + off, size };
	struct err e = { 0 };

	assert_int_equal(code_fn_analyse(&l->w, &p, 1, &l->f, &e), 0);
}

void
expect(struct little *l, uint64_t off, enum code_win_kind kind, uint64_t start,
       uint32_t len)
{
	struct code_window win;

	code_fn_window(&l->w, &l->f, BASE + off, &win);
	assert_int_equal(win.kind, kind);
	assert_int_equal(win.start, BASE + start);
	if (kind != CODE_WIN_NONE)
		assert_int_equal(win.len, len);
	if (kind == CODE_WIN_NONE || kind == CODE_WIN_INT3)
		assert_non_null(win.why);
}

bool
is_target(const struct little *l, uint64_t off)
{
	for (size_t i = 0; i < l->f.targets.n; i++)
		if (l->f.targets.v[i] == BASE + off)
			return true;
	return false;
}
