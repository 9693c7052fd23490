/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The instructions one by one, and random objects twice: on machines whose
 * memory lies elsewhere the outcome must be the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "engine/interp/interp.h"

#define NUM { .ckind = DIF_CK_INT, .flags = DIF_TF_SIGNED, .size = 8 }
#define STR                                                       \
	{ .kind = DIF_TYPE_STRING, .ckind = DIF_CK_STRING,        \
	  .flags = DIF_TF_BYREF }
#define REF { .ckind = DIF_CK_STRUCT, .flags = DIF_TF_BYREF, .size = 24 }

static struct dif_type keys[] = { NUM, STR };
static struct dif_uvar uvars[] = {
	{ "g", 0x500, DIF_SCOPE_GLOBAL, DIF_VK_SCALAR, NUM },
	{ "s", 0x501, DIF_SCOPE_GLOBAL, DIF_VK_SCALAR, STR },
	{ "t", 0x500, DIF_SCOPE_THREAD, DIF_VK_SCALAR, STR },
	{ "l", 0x500, DIF_SCOPE_LOCAL, DIF_VK_SCALAR, REF },
	{ "a", 0x502, DIF_SCOPE_GLOBAL, DIF_VK_ARRAY, STR, keys, 2 },
	{ "b", 0x501, DIF_SCOPE_THREAD, DIF_VK_ARRAY, NUM, keys, 1 },
};
static struct dif_uvar *uvarp[] = { uvars, uvars + 1, uvars + 2,
				    uvars + 3, uvars + 4, uvars + 5 };
static struct dif_tab tab = { .vars = uvarp, .nvars = 6 };

#define VARS                             \
	".var g 0x500 scl glb int 8\n"   \
	".var s 0x501 scl glb string 0\n" \
	".var t 0x500 scl tls string 0\n" \
	".var l 0x500 scl loc ref 24\n"  \
	".var a 0x502 arr glb string 0\n" \
	".var b 0x501 arr tls int 8\n"

/* A machine and its world. */
struct world {
	struct rt_host host;
	struct rt *rt;
	struct arena *a;
};

static void
world_init(struct world *w)
{
	*w = (struct world){ .host = { .tab = &tab,
				       .sizes = { 64, 20, 20 } } };
	w->a = arena_new();
	dif_layout(NULL, 0, &tab, &w->host.sizes, w->a);
	w->host.globals = calloc(1, tab.globals_size);
	w->host.thread = calloc(1, tab.thread_size);
	w->rt = interp_rt_new(&w->host);
	assert_non_null(w->rt);
}

static void
world_fini(struct world *w)
{
	interp_assoc_free(&w->host);
	interp_rt_free(w->rt);
	free(w->host.globals);
	free(w->host.thread);
	arena_free(w->a);
}

static uint64_t
run(struct world *w, const char *text)
{
	struct err e = { 0 };
	struct dif_obj *o = dif_asm(w->a, text, &e);

	if (o == NULL || dif_validate(o, &e) != 0)
		fail_msg("%s", e.msg);
	return interp_run(w->rt, o);
}

static void
gives(const char *text, uint64_t want)
{
	struct world w;

	world_init(&w);
	uint64_t got = run(&w, text);
	if (w.rt->fault != DIF_FAULT_NONE)
		fail_msg("%s: %s at %d", text, dif_fault_text(w.rt->fault),
			 w.rt->fault_off);
	if (got != want)
		fail_msg("%s: %llx, not %llx", text, (unsigned long long)got,
			 (unsigned long long)want);
	world_fini(&w);
}

static void
says(const char *text, const char *want)
{
	struct world w;

	world_init(&w);
	uint64_t got = run(&w, text);
	assert_int_equal(w.rt->fault, DIF_FAULT_NONE);
	assert_true(got != 0);
	assert_string_equal((const char *)(uintptr_t)got, want);
	world_fini(&w);
}

static void
faults(const char *text, uint32_t fault, int off, uint64_t val)
{
	struct world w;

	world_init(&w);
	assert_int_equal(run(&w, text), 0);
	assert_int_equal(w.rt->fault, fault);
	assert_int_equal(w.rt->fault_off, off);
	assert_int_equal(w.rt->fault_val, val);
	world_fini(&w);
}

static void
op2(const char *op, int64_t a, int64_t b, int64_t want)
{
	char text[200];

	snprintf(text, sizeof(text),
		 "setx %lld, %%r1\nsetx %lld, %%r2\n%s %%r1, %%r2, %%r3\n"
		 "ret %%r3\n", (long long)a, (long long)b, op);
	gives(text, (uint64_t)want);
}

static void
arithmetic(void **state)
{
	op2("add", INT64_MAX, 1, INT64_MIN);
	op2("sub", 3, 5, -2);
	op2("mul", -3, 5, -15);
	op2("and", 12, 10, 8);
	op2("or", 12, 10, 14);
	op2("xor", 12, 10, 6);
	op2("sll", 1, 65, 2);
	op2("srl", -1, 60, 15);
	op2("sra", -16, 2, -4);
	op2("sdiv", -7, 2, -3);
	op2("srem", -7, 2, -1);
	op2("udiv", -1, 2, INT64_MAX);
	op2("urem", 7, 4, 3);
	op2("sdiv", INT64_MIN, -1, INT64_MIN);
	op2("srem", INT64_MIN, -1, 0);
	gives("not %r0, %r1\nret %r1\n", (uint64_t)-1);
	faults("setx 1, %r1\nudiv %r1, %r0, %r1\nret %r1\n",
	       DIF_FAULT_DIVZERO, 1, 0);
}

static void
branch(const char *op, int64_t a, int64_t b, bool want)
{
	char text[200];

	snprintf(text, sizeof(text),
		 "setx %lld, %%r1\nsetx %lld, %%r2\ncmp %%r1, %%r2\n"
		 "%s yes\nret %%r0\nyes:\nsetx 1, %%r1\nret %%r1\n",
		 (long long)a, (long long)b, op);
	gives(text, want);
}

static void
branches(void **state)
{
	static const int64_t v[] = { INT64_MIN, -1, 0, 1, INT64_MAX };

	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < 5; j++) {
			int64_t a = v[i], b = v[j];
			uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
			branch("be", a, b, a == b);
			branch("bne", a, b, a != b);
			branch("bg", a, b, a > b);
			branch("bge", a, b, a >= b);
			branch("bl", a, b, a < b);
			branch("ble", a, b, a <= b);
			branch("bgu", a, b, ua > ub);
			branch("bgeu", a, b, ua >= ub);
			branch("blu", a, b, ua < ub);
			branch("bleu", a, b, ua <= ub);
		}
}

static void
strings(void **state)
{
	gives("sets \"abc\", %r1\nsets \"abd\", %r2\nscmp %r1, %r2\n"
	      "bl yes\nret %r0\nyes:\nsetx 1, %r1\nret %r1\n", 1);
	gives("sets \"abc\", %r1\nscmp %r1, %r1\nbe yes\nret %r0\nyes:\n"
	      "setx 1, %r1\nret %r1\n", 1);
	says("sets \"ab\", %r1\nsets \"cd\", %r2\n"
	     "pushtr DT_TYPE(1), %r0, %r1\npushtr DT_TYPE(1), %r0, %r2\n"
	     "call strjoin, %r3\nflushts\nret %r3\n", "abcd");
	gives("sets \"abcd\", %r1\npushtr DT_TYPE(1), %r0, %r1\n"
	      "call strlen, %r1\nret %r1\n", 4);
	/* NULL is less than any string, and equals itself. */
	gives("sets \"\", %r1\nscmp %r1, %r0\nbg yes\nret %r0\nyes:\n"
	      "setx 1, %r1\nret %r1\n", 1);
	gives("scmp %r0, %r0\nbe yes\nret %r0\nyes:\n"
	      "setx 1, %r1\nret %r1\n", 1);
	faults("setx 8, %r1\nsets \"a\", %r2\nscmp %r2, %r1\nret %r0\n",
	       DIF_FAULT_BADADDR, 2, 8);
}

static void
memory(void **state)
{
	gives("setx 16, %r1\nallocs %r1, %r2\nsetx -2, %r1\nstw %r1, [%r2]\n"
	      "ldx [%r2], %r1\nret %r1\n", 0xfffffffe);
	gives("setx 16, %r1\nallocs %r1, %r2\nsetx -2, %r1\nstx %r1, [%r2]\n"
	      "lduh [%r2], %r1\nret %r1\n", 0xfffe);
	gives("setx 16, %r1\nallocs %r1, %r2\nsetx 0x80, %r1\nstb %r1, [%r2]\n"
	      "ldsb [%r2], %r1\nret %r1\n", (uint64_t)-128);
	gives("setx 16, %r1\nallocs %r1, %r2\nallocs %r1, %r3\n"
	      "sets \"abcdefg\", %r1\nsetx 8, %r4\ncopys %r1, %r4, %r2\n"
	      "copys %r2, %r4, %r3\nldub [%r3], %r1\nret %r1\n", 'a');
	faults("setx 16, %r1\nldx [%r1], %r2\nret %r2\n", DIF_FAULT_BADADDR, 1,
	       16);
	faults("setx 16, %r1\nuldx [%r1], %r2\nret %r2\n", DIF_FAULT_BADADDR,
	       1, 16);
	faults("setx 16, %r1\nstx %r1, [%r1]\nret %r1\n", DIF_FAULT_BADADDR, 1,
	       16);
	faults("setx 999999, %r1\nallocs %r1, %r2\nret %r2\n",
	       DIF_FAULT_NOSCRATCH, 1, 0);
	faults("pushtv DT_TYPE(0), %r0, %r0\npushtv DT_TYPE(0), %r0, %r0\n"
	       "pushtv DT_TYPE(0), %r0, %r0\npushtv DT_TYPE(0), %r0, %r0\n"
	       "pushtv DT_TYPE(0), %r0, %r0\npushtv DT_TYPE(0), %r0, %r0\n"
	       "pushtv DT_TYPE(0), %r0, %r0\npushtv DT_TYPE(0), %r0, %r0\n"
	       "pushtv DT_TYPE(0), %r0, %r0\nret %r0\n",
	       DIF_FAULT_TUPOFLOW, 8, 0);
}

static void
variables(void **state)
{
	gives(VARS "setx 42, %r1\nstgs g, %r1\nldgs g, %r2\nret %r2\n", 42);
	says(VARS "sets \"abc\", %r1\nstgs s, %r1\nldgs s, %r2\nret %r2\n",
	     "abc");
	/* Not yet set: a global is empty, a self-> variable is null. */
	says(VARS "ldgs s, %r2\nret %r2\n", "");
	gives(VARS "ldts DT_VAR(0x500), %r2\nret %r2\n", 0);
	says(VARS "sets \"abc\", %r1\nstts DT_VAR(0x500), %r1\n"
		  "ldts DT_VAR(0x500), %r2\nret %r2\n", "abc");
	gives(VARS "sets \"abc\", %r1\nstts DT_VAR(0x500), %r1\n"
		   "stts DT_VAR(0x500), %r0\nldts DT_VAR(0x500), %r2\n"
		   "ret %r2\n", 0);
	gives(VARS "stgs s, %r0\nldgs s, %r2\nret %r2\n", 0);
	gives(VARS "setx 24, %r1\nallocs %r1, %r1\nsetx 7, %r2\n"
		   "stx %r2, [%r1]\nstls DT_VAR(0x500), %r1\nstx %r0, [%r1]\n"
		   "ldls DT_VAR(0x500), %r3\nldx [%r3], %r3\nret %r3\n", 7);
}

#define KEY(n, s)                                 \
	"setx " n ", %r6\nsets \"" s "\", %r7\n"  \
	"pushtv DT_TYPE(0), %r0, %r6\npushtr DT_TYPE(1), %r0, %r7\n"

static void
assoc(void **state)
{
	struct world w;

	world_init(&w);
	assert_int_equal(run(&w, VARS KEY("1", "a") "ldgaa a, %r1\nret %r1\n"),
			 0);
	run(&w, VARS "sets \"one\", %r1\n" KEY("1", "a")
		     "stgaa a, %r1\nret %r0\n");
	run(&w, VARS "sets \"two\", %r1\n" KEY("1", "b")
		     "stgaa a, %r1\nret %r0\n");
	uint64_t p = run(&w, VARS KEY("1", "a") "ldgaa a, %r1\nret %r1\n");
	assert_string_equal((const char *)(uintptr_t)p, "one");
	assert_int_equal(hash_count(w.host.assoc), 2);
	run(&w, VARS KEY("1", "a") "stgaa a, %r0\nret %r0\n");
	assert_int_equal(run(&w, VARS KEY("1", "a") "ldgaa a, %r1\nret %r1\n"),
			 0);
	assert_int_equal(hash_count(w.host.assoc), 1);
	world_fini(&w);
}

/* Arrays that are the host's affair: it sees the tuple and the value. */
struct elsewhere {
	uint64_t key[2], val;
	unsigned loads, stores;
};

static uint64_t
elsewhere_load(void *arg, struct rt *rt, const struct dif_uvar *v)
{
	struct elsewhere *w = arg;

	assert_string_equal(v->name, "b");
	w->loads++;
	return rt->tuple[0].val == w->key[0] ? w->val : 0;
}

static void
elsewhere_store(void *arg, struct rt *rt, const struct dif_uvar *v,
		uint64_t val)
{
	struct elsewhere *w = arg;

	assert_int_equal(rt->ntuple, 1);
	w->key[0] = rt->tuple[0].val;
	w->val = val;
	w->stores++;
}

static void
assoc_elsewhere(void **state)
{
	struct elsewhere there = { 0 };
	struct world w;

	world_init(&w);
	w.host.mem.arg = &there;
	w.host.assoc_load = elsewhere_load;
	w.host.assoc_store = elsewhere_store;
	run(&w, VARS "setx 9, %r1\nsetx 5, %r6\npushtv DT_TYPE(0), %r0, %r6\n"
		     "sttaa DT_VAR(0x501), %r1\nret %r0\n");
	assert_int_equal(there.stores, 1);
	assert_int_equal(run(&w, VARS "setx 5, %r6\n"
				 "pushtv DT_TYPE(0), %r0, %r6\n"
				 "ldtaa DT_VAR(0x501), %r1\nret %r1\n"), 9);
	assert_int_equal(there.loads, 1);
	assert_null(w.host.assoc);
	world_fini(&w);
}

static void
builtins(void **state)
{
	struct world w;

	world_init(&w);
	w.rt->arg[3] = 33;
	w.rt->ureg[16] = 44;
	w.rt->probe_id = 55;
	assert_int_equal(run(&w, "ldgs arg3, %r1\nret %r1\n"), 33);
	assert_int_equal(run(&w, "setx 16, %r1\nldga uregs, %r1, %r1\n"
				 "ret %r1\n"), 44);
	assert_int_equal(run(&w, "ldgs id, %r1\nret %r1\n"), 55);
	uint64_t now = run(&w, "ldgs timestamp, %r1\nret %r1\n");
	assert_true(now != 0);
	assert_true(run(&w, "ldgs timestamp, %r1\nret %r1\n") == now);
	world_fini(&w);
}

/* What a run leaves: result, fault, the bytes of variables. */
static void
outcome(const struct world *w, const struct dif_obj *o, uint64_t r,
	struct buf *out)
{
	const struct rt *rt = w->rt;

	buf_printf(out, "%x %d %llx ", rt->fault, rt->fault_off,
		   (unsigned long long)rt->fault_val);
	if (o->rtype.kind == DIF_TYPE_STRING && r != 0)
		buf_printf(out, "%s", (const char *)(uintptr_t)r);
	else
		buf_printf(out, "%llx", (unsigned long long)r);
	buf_write(out, w->host.globals, tab.globals_size);
	buf_write(out, w->host.thread, tab.thread_size);
	buf_write(out, rt->locals, tab.locals_size);
}

static void
twice(void **state)
{
	struct world w[2];
	unsigned faulted = 0;

	world_init(&w[0]);
	world_init(&w[1]);
	for (uint64_t seed = 0; seed < 1500; seed++) {
		struct buf out[2] = { BUF_INIT, BUF_INIT };
		struct arena *a = arena_new();
		struct dif_obj *o = dif_random(a, seed, &tab, DIF_ENG_IK);
		for (unsigned i = 0; i < 2; i++) {
			struct rt *rt = w[i].rt;
			for (unsigned n = 0; n < RT_NARGS; n++)
				rt->arg[n] = n * seed;
			rt->scratch = 0;
			uint64_t r = interp_run(rt, o);
			outcome(&w[i], o, r, &out[i]);
			faulted += rt->fault != DIF_FAULT_NONE;
		}
		if (out[0].n != out[1].n ||
		    memcmp(out[0].p, out[1].p, out[0].n) != 0)
			fail_msg("seed %llu: %s, %s", (unsigned long long)seed,
				 buf_str(&out[0]), buf_str(&out[1]));
		buf_fini(&out[0]);
		buf_fini(&out[1]);
		arena_free(a);
	}
	/* Both ways to end must be common. */
	assert_in_range(faulted, 300, 2000);
	world_fini(&w[0]);
	world_fini(&w[1]);
}

/*
 * Damaged objects: what the validator lets through must run without harm,
 * whatever it does (the sanitizers are the judges).
 */
static void
damaged(void **state)
{
	/* Registers, small indexes, opcodes: where damage may stay valid. */
	static const uint8_t bits[] = { 0, 1, 2, 8, 9, 10, 16, 17, 18, 24, 25 };
	unsigned ran = 0;
	struct world w;

	world_init(&w);
	srandom(1);
	for (uint64_t seed = 0; seed < 3000; seed++) {
		struct arena *a = arena_new();
		struct dif_obj *o = dif_random(a, seed, &tab, DIF_ENG_IK);
		struct err e = { 0 };

		for (unsigned n = 0; n < 1 + seed % 3; n++)
			o->text[(uint32_t)random() % o->ntext] ^=
				1u << bits[(size_t)random() % sizeof(bits)];
		if (dif_validate(o, &e) == 0) {
			w.rt->scratch = 0;
			interp_run(w.rt, o);
			ran++;
		}
		arena_free(a);
	}
	assert_true(ran > 300);
	world_fini(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic), cmocka_unit_test(branches),
		cmocka_unit_test(strings),    cmocka_unit_test(memory),
		cmocka_unit_test(variables),  cmocka_unit_test(assoc),
		cmocka_unit_test(builtins),   cmocka_unit_test(twice),
		cmocka_unit_test(damaged),
		cmocka_unit_test(assoc_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
