/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* print(): types made by hand, bytes that may end early. */
#include "dt_test.h"

static struct cap c;

#define INT(n, s)                                                              \
	{                                                                      \
		.kind = DIF_CK_INT, .name = n, .size = s                       \
	}
static const struct dif_print
	t_int = INT("int", 4),
	t_long = INT("long", 8), t_u128 = INT("__int128", 16),
	t_char = { .kind = DIF_CK_INT,
		   .name = "char",
		   .size = 1,
		   .is_char = true },
	t_ptr = { .kind = DIF_CK_PTR, .name = "char *", .size = 8 },
	t_double = { .kind = DIF_CK_FLOAT, .name = "double", .size = 8 },
	t_float = { .kind = DIF_CK_FLOAT, .name = "float", .size = 4 },
	t_half = { .kind = DIF_CK_FLOAT, .name = "_Float16", .size = 2 };
static const struct dif_print_value values[] = { { "MINUS", -1 },
						 { "TEN", 10 } };
static const struct dif_print t_enum = { .kind = DIF_CK_ENUM,
					 .name = "enum e",
					 .size = 4,
					 .values = values,
					 .n = 2 };
static const struct dif_print t_text = { .kind = DIF_CK_ARRAY,
					 .name = "char [4]",
					 .size = 4,
					 .elem = &t_char,
					 .nelems = 4 };

static int
setup(void **state)
{
	cap_init(&c);
	return 0;
}

static int
teardown(void **state)
{
	cap_fini(&c);
	return 0;
}

/* n recorded bytes as a value of type t. */
static void
shown(const struct dif_print *t, const void *p, uint32_t n, const char *want)
{
	struct rec r = { 0 };
	bool whole = t->kind == DIF_CK_INT || t->kind == DIF_CK_PTR ||
		     t->kind == DIF_CK_ENUM;

	rec_bytes(&r, p, n);
	if (whole)
		r.x[0].type = (struct dif_type)T_UINT(n);
	r.x[0].print = t;
	dt_print_value(&c.o, &r.x[0], r.bytes);
	cap_expect(&c, want);
}

static void
scalars(void **state)
{
	const double d = 1.5;
	const float f = -0.25f;

	shown(&t_int, "\0\0\0\0", 4, "int 0\n");
	shown(&t_int, "\377\377\377\377", 4, "int 0xffffffff\n");
	shown(&t_long, "\1\2\0\0\0\0\0\200", 8, "long 0x8000000000000201\n");
	shown(&t_char, "a", 1, "char 'a'\n");
	shown(&t_char, "\n", 1, "char '\\n'\n");
	shown(&t_char, "", 1, "char '\\0'\n");
	shown(&t_ptr, "\20\0\0\0\0\0\0\0", 8, "char * 0x10\n");
	shown(&t_enum, "\12\0\0\0", 4, "enum e TEN\n");
	shown(&t_enum, "\377\377\377\377", 4, "enum e MINUS\n");
	shown(&t_enum, "\13\0\0\0", 4, "enum e 0xb\n");
	shown(&t_double, &d, 8, "double 1.5\n");
	shown(&t_float, &f, 4, "float -0.25\n");
	/* Of a size that C has not: its bits. */
	shown(&t_half, "\0\x3c", 2, "_Float16 0x3c00\n");
}

static void
texts(void **state)
{
	shown(&t_text, "ab\0\0", 4, "char [4] [ \"ab\" ]\n");
	shown(&t_text, "abcd", 4, "char [4] [ \"abcd\" ]\n");
	shown(&t_text, "\0\0\0\0", 4, "char [4] [ \"\" ]\n");
	shown(&t_text, "a\"\\\n", 4, "char [4] [ \"a\\\"\\\\\\n\" ]\n");
	shown(&t_text, "a\0b\0", 4, "char [4] [ 'a', '\\0', 'b', '\\0' ]\n");
	shown(&t_text, "abcd", 3, "char [4] [ 'a', 'b', 'c', ... ]\n");
}

/* Bit-fields over the border of a byte; an unnamed one; padding. */
static void
bits(void **state)
{
	static const struct dif_print_member m[] = { { "low", &t_int, 0, 6 },
						     { "over", &t_int, 6, 5 },
						     { "", &t_int, 11, 3 },
						     { "e", &t_enum, 14, 4 },
						     { "last", &t_int, 32,
						       0 } };
	static const struct dif_print t = { .kind = DIF_CK_STRUCT,
					    .name = "struct b",
					    .size = 8,
					    .members = m,
					    .n = 5 };

	shown(&t, "\301\207\2\0\5\0\0\0", 8,
	      "struct b {\n    int low :6 = 0x1\n    int over :5 = 0x1f\n"
	      "    enum e e :4 = TEN\n    int last = 0x5\n}\n");
	shown(&t, "\301", 1,
	      "struct b {\n    int low :6 = 0x1\n    int over :5 = ...\n"
	      "    ...\n}\n");
}

static void
nested(void **state)
{
	static const struct dif_print_member in[] = { { "p", &t_ptr, 0, 0 },
						      { "n", &t_int, 64, 0 } };
	static const struct dif_print t_in = { .kind = DIF_CK_STRUCT,
					       .name = "in_t",
					       .size = 16,
					       .members = in,
					       .n = 2 };
	static const struct dif_print t_ins = { .kind = DIF_CK_ARRAY,
						.name = "in_t [2]",
						.size = 32,
						.elem = &t_in,
						.nelems = 2 };
	static const struct dif_print t_none = { .kind = DIF_CK_ARRAY,
						 .name = "in_t []",
						 .elem = &t_in };
	static const struct dif_print_member out[] = { { "ins", &t_ins, 0, 0 },
						       { "", &t_in, 256, 0 },
						       { "none", &t_none, 384,
							 0 } };
	static const struct dif_print t_out = { .kind = DIF_CK_UNION,
						.name = "union o",
						.size = 48,
						.members = out,
						.n = 3 };
	static const uint8_t bytes[48] = { 1, [8] = 2, [24] = 3, [32] = 4 };

	shown(&t_out, bytes, 48,
	      "union o {\n"
	      "    in_t [2] ins = [\n"
	      "        in_t {\n"
	      "            char *p = 0x1\n            int n = 0x2\n"
	      "        }\n"
	      "        in_t {\n"
	      "            char *p = 0\n            int n = 0x3\n"
	      "        }\n"
	      "    ]\n"
	      "    in_t {\n        char *p = 0x4\n        int n = 0\n    }\n"
	      "    in_t [] none = []\n}\n");
	shown(&t_out, bytes, 16,
	      "union o {\n"
	      "    in_t [2] ins = [\n"
	      "        in_t {\n"
	      "            char *p = 0x1\n            int n = 0x2\n"
	      "        }\n"
	      "        ...\n"
	      "    ]\n"
	      "    ...\n}\n");
	c.o.printsize = 8;
	shown(&t_out, bytes, 48,
	      "union o {\n"
	      "    in_t [2] ins = [\n"
	      "        in_t {\n"
	      "            char *p = 0x1\n            ...\n"
	      "        }\n"
	      "        ...\n"
	      "    ]\n"
	      "    ...\n}\n");
}

/* Strings and names of probes, which records hold by number. */
static void
strings(void **state)
{
	static const struct dif_print t = { .kind = DIF_CK_STRING,
					    .name = "string" };
	struct rec r = { 0 };
	uint32_t probe = 3;

	rec_str(&r, "a\tb");
	r.x[0].print = &t;
	dt_print_value(&c.o, &r.x[0], r.bytes);
	cap_expect(&c, "string \"a\\tb\"\n");
	rec_src(&r, DIF_SRC_NAME, DIF_VAR_probefunc, &probe, 4);
	r.x[1].print = &t;
	dt_print_value(&c.o, &r.x[1], r.bytes);
	cap_expect(&c, "string \"write\"\n");
}

/* More than a word. */
static void
wide(void **state)
{
	static const struct dif_print_member m[] = { { "v", &t_u128, 0, 0 } };
	static const struct dif_print t = { .kind = DIF_CK_STRUCT,
					    .name = "struct w",
					    .size = 16,
					    .members = m,
					    .n = 1 };
	static const uint8_t bytes[16] = { 7, [8] = 1 };

	shown(&t, bytes, 16,
	      "struct w {\n    __int128 v = 0x10000000000000007\n}\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(scalars), T(texts), T(bits), T(nested), T(strings), T(wide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
