/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Random objects are valid, deterministic, and use what they should. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "dif/dif.h"

static struct dif_type num = { .ckind = DIF_CK_INT, .size = 8 };
static struct dif_type str = { .kind = DIF_TYPE_STRING,
			       .ckind = DIF_CK_STRING,
			       .flags = DIF_TF_BYREF };
static struct dif_type ref = { .ckind = DIF_CK_STRUCT,
			       .flags = DIF_TF_BYREF, .size = 24 };

static void
valid(void **state)
{
	struct dif_type keys[] = { num, str };
	struct dif_uvar v[] = {
		{ "g", 0x500, DIF_SCOPE_GLOBAL, DIF_VK_SCALAR, num },
		{ "s", 0x501, DIF_SCOPE_GLOBAL, DIF_VK_SCALAR, str },
		{ "t", 0x500, DIF_SCOPE_THREAD, DIF_VK_SCALAR, str },
		{ "l", 0x500, DIF_SCOPE_LOCAL, DIF_VK_SCALAR, ref },
		{ "a", 0x502, DIF_SCOPE_GLOBAL, DIF_VK_ARRAY, str, keys, 2 },
		{ "b", 0x501, DIF_SCOPE_THREAD, DIF_VK_ARRAY, num, keys, 1 },
	};
	struct dif_uvar *vars[] = { v, v + 1, v + 2, v + 3, v + 4, v + 5 };
	struct dif_tab tab = { .vars = vars, .nvars = 6 };
	unsigned seen[256] = { 0 };

	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct arena *a = arena_new();
		struct err e = { 0 };
		struct dif_obj *o = dif_random(a, seed, &tab, DIF_ENG_IK);
		struct dif_obj *p = dif_random(a, seed, &tab, DIF_ENG_IK);

		if (dif_validate(o, &e) != 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed,
				 e.msg);
		assert_int_equal(o->ntext, p->ntext);
		assert_memory_equal(o->text, p->text, o->ntext * 4);
		for (uint32_t i = 0; i < o->ntext; i++)
			seen[DIF_OP(o->text[i])]++;
		arena_free(a);
	}
	for (unsigned op = DIF_OP_OR; op <= DIF_OP_STX; op++)
		if (seen[op] == 0 && op != DIF_OP_LDGA && op != DIF_OP_LDTA)
			fail_msg("%s never occurs", dif_op_info[op].mnem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(valid) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
