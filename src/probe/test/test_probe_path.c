/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Members as text to loads: offsets, signs, bit-fields, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/probe.h"

static struct err e;
static struct prov_env env;
static struct probe_set *ps;
static struct type *outer_ptr;

/* The same in C, for its layout. */
struct inner {
	char pad;
	short s;
	unsigned char byte;
	int a : 3;
	unsigned b : 13;
	unsigned long c : 40;
	int list[2];
};
struct packet {
	char pad[5];
	unsigned char *head;
	unsigned short net, rest;
};
struct header {
	unsigned char words : 4, version : 4;
	unsigned char kind;
};
struct outer {
	long first;
	struct {
		int in_anon;
	};
	struct inner in;
	struct inner *to;
	void *nowhere;
	struct packet packet;
	struct packet *other;
};

static struct type *
basic(enum type_basic b)
{
	return type_basic(env.types, b);
}

static struct type *
bits(enum type_basic b, uint32_t n)
{
	return type_bits(env.types, basic(b), n);
}

static struct type *
sou(const char *tag, const struct type_member *m, size_t n)
{
	struct type *t = type_sou_new(env.types, TYPE_STRUCT, tag);

	assert_int_equal(type_sou_finish(env.types, t, m, n, &e), 0);
	return t;
}

static int
setup(void **state)
{
	err_clear(&e);
	env.types = type_space_base(&e);
	ps = probe_set_new(&env, &e);

	const struct type_member inner[] = {
		{ .name = "pad", .type = basic(TYPE_B_CHAR) },
		{ .name = "s", .type = basic(TYPE_B_SHORT) },
		{ .name = "byte", .type = basic(TYPE_B_UCHAR) },
		{ .name = "a", .type = bits(TYPE_B_INT, 3), .bits = 3 },
		{ .name = "b", .type = bits(TYPE_B_UINT, 13), .bits = 13 },
		{ .name = "c", .type = bits(TYPE_B_ULONG, 40), .bits = 40 },
		{ .name = "list",
		  .type = type_array(env.types, basic(TYPE_B_INT), 2) },
	};
	struct type *in = sou("inner", inner, 7);
	const struct type_member anon[] = {
		{ .name = "in_anon", .type = basic(TYPE_B_INT) },
	};
	const struct type_member packet[] = {
		{ .name = "pad",
		  .type = type_array(env.types, basic(TYPE_B_CHAR), 5) },
		{ .name = "head",
		  .type = type_ptr(env.types, basic(TYPE_B_UCHAR)) },
		{ .name = "net", .type = basic(TYPE_B_USHORT) },
		{ .name = "rest", .type = basic(TYPE_B_USHORT) },
	};
	const struct type_member header[] = {
		{ .name = "words", .type = bits(TYPE_B_UCHAR, 4), .bits = 4 },
		{ .name = "version", .type = bits(TYPE_B_UCHAR, 4), .bits = 4 },
		{ .name = "kind", .type = basic(TYPE_B_UCHAR) },
	};
	struct type *pk = sou("packet", packet, 4);
	sou("header", header, 3);
	const struct type_member outer[] = {
		{ .name = "first", .type = basic(TYPE_B_LONG) },
		{ .type = sou(NULL, anon, 1) },
		{ .name = "in", .type = in },
		{ .name = "to", .type = type_ptr(env.types, in) },
		{ .name = "nowhere",
		  .type = type_ptr(env.types, basic(TYPE_B_VOID)) },
		{ .name = "packet", .type = pk },
		{ .name = "other", .type = type_ptr(env.types, pk) },
	};
	outer_ptr = type_ptr(env.types, sou("outer", outer, 7));
	return 0;
}

static int
teardown(void **state)
{
	probe_set_free(ps);
	type_space_free(env.types);
	return 0;
}

/* What the loads of a path find, as an engine would do them. */
static int64_t
follow(const char *text, const void *from)
{
	const struct dif_path *p = probe_path(ps, outer_ptr, text, &e);
	uint64_t v = (uintptr_t)from, base = v;

	if (p == NULL)
		fail_msg("%s: %s", text, e.msg);
	for (uint32_t i = 0; i < p->n; i++) {
		const struct dif_step *s = &p->step[i];
		uint32_t n = s->bits != 0 ? s->bits : s->size * 8;
		uint64_t w = 0, old = v;
		if (s->add == DIF_ADD_OFF) {
			v += s->off;
			continue;
		}
		if (s->add != DIF_ADD_BESIDE)
			base = v;
		memcpy(&w, (const char *)(uintptr_t)base + s->off, s->size);
		w <<= 64 - n - s->shift;
		v = s->is_signed ? (uint64_t)((int64_t)w >> (64 - n))
				 : w >> (64 - n);
		if (s->add != DIF_ADD_NONE)
			v = old + v * s->scale;
	}
	return (int64_t)v;
}

static void
test_members(void **state)
{
	struct inner to = { .s = -2, .byte = 200, .a = -3, .b = 8000,
			    .c = 0xffabcdef01 };
	struct outer o = { .first = INT64_MIN, .in_anon = -7,
			   .in = { .s = 77, .a = 2, .b = 1, .c = 5 },
			   .to = &to };

	assert_true(follow("first", &o) == INT64_MIN);
	assert_int_equal(follow("in_anon", &o), -7);
	assert_int_equal(follow("in.s", &o), 77);
	assert_int_equal(follow("in.a", &o), 2);
	assert_int_equal(follow("in.c", &o), 5);
	assert_true(follow("to", &o) == (int64_t)(uintptr_t)&to);
	assert_int_equal(follow("to->s", &o), -2);
	assert_int_equal(follow("to->byte", &o), 200);
	assert_int_equal(follow("to->a", &o), -3);
	assert_int_equal(follow("to->b", &o), 8000);
	assert_true(follow("to->c", &o) == 0xffabcdef01);
	assert_int_equal(follow("to->byte>>3", &o), 200 >> 3);
	assert_int_equal(follow("in.s>>1", &o), 77 >> 1);
	assert_int_equal(follow("to->s>>1", &o), -1);
	assert_true(follow("first>>62", &o) == -2);
	/* Kept once. */
	assert_ptr_equal(probe_path(ps, outer_ptr, "to->s", &e),
			 probe_path(ps, outer_ptr, "to->s", &e));
}

/* Headers, of which each says how long it is. */
static void
test_computed(void **state)
{
	unsigned char bytes[64] = { [10] = 0x43, 17, [22] = 0x62, 99,
				    [24] = 0x71, 55 };
	struct packet to = { .head = bytes, .net = 10, .rest = 22 };
	struct outer o = { .packet = to, .other = &to };
	int64_t at = (int64_t)(uintptr_t)bytes;

	assert_true(follow("packet.head", &o) == at);
	assert_true(follow("other->head+net", &o) == at + 10);
	assert_true(follow("other->head+rest", &o) == at + 22);
	assert_true(follow("other->head:header+2", &o) == at + 4);
	assert_int_equal(follow("other->head+net:header->kind", &o), 17);
	assert_int_equal(follow("other->head+net:header->version", &o), 4);
	assert_int_equal(follow("other->head+rest:header->kind", &o), 99);
	assert_int_equal(follow("other->head+rest:header+1:header->kind", &o),
			 55);
	assert_true(follow("other->head+net:header+words*4", &o) == at + 22);
	o.other = (struct packet *)(bytes + 10);
	assert_int_equal(follow("other:header+words*4:header->kind", &o), 99);
}

static void
test_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "none", "no such member as none" },
		{ "to->none", "no such member as none" },
		{ "first.in", "no such member as in" },
		{ "in->s", "no number" },
		{ "first->s", "no pointer" },
		{ "nowhere->s", "no such member as s" },
		{ "in", "no number" },
		{ "in.list", "no number" },
		{ "to-s", "no pointer" },
		{ "", "no such member as " },
		{ "first+first", "no pointer to compute with" },
		{ "other->head+none", "no such member as none" },
		{ "other->head+1", "no struct to go past" },
		{ "other->head:none->x", "no struct none" },
		{ "other->head:header->none", "no such member as none" },
		{ "other->head:header+1+1+1+1+1", "too many loads" },
		{ "first>>0", "no number to shift by" },
		{ "first>>64", "no number to shift by" },
		{ "first>>", "no number to shift by" },
		{ "first>>2.x", "no number to shift by" },
		{ "to->b>>2", "no number to shift by" },
		{ "first>2", "no pointer" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		err_clear(&e);
		assert_null(probe_path(ps, outer_ptr, bad[i].text, &e));
		if (strstr(e.msg, bad[i].why) == NULL)
			fail_msg("%s: %s", bad[i].text, e.msg);
	}
	err_clear(&e);
	assert_null(probe_path(ps, basic(TYPE_B_INT), "x", &e));
}

static void
test_whens(void **state)
{
	struct dif_whens a, b;

	/* Padding makes no difference, contents do. */
	memset(&a, 0xaa, sizeof(a));
	memset(&b, 0x55, sizeof(b));
	a.n = b.n = 1;
	a.v[0].what = b.v[0].what = (struct dif_recipe){ DIF_RCP_TPARG, 2 };
	a.v[0].mask = b.v[0].mask = 1;
	a.v[0].cmp = b.v[0].cmp = DIF_CMP_GT;
	a.v[0].val = b.v[0].val = -1;
	a.once = b.once = (struct dif_recipe){ DIF_RCP_CONST, 7 };
	assert_ptr_equal(probe_whens(ps, &a), probe_whens(ps, &b));
	b.once.val = 8;
	assert_ptr_not_equal(probe_whens(ps, &a), probe_whens(ps, &b));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_members, setup, teardown),
		cmocka_unit_test_setup_teardown(test_computed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_whens, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
