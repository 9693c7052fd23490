/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_bpf_emit.c - labels, dead code, joining, limits of the emitter; which
   part of a verifier's log is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/bpf/bpf_emit.h"
#include "engine/bpf/bpf_impl.h"
#include "engine/bpf/bpf_prog_impl.h"

static int
finish(struct em *em)
{
	struct err e = { 0 };

	return em_finish(em, "f", &e);
}

static void
test_jumps(void **state)
{
	struct em em = { 0 };
	uint32_t back = em_label(&em), out = em_label(&em);

	em_imm(&em, R0, 3);
	em_place(&em, back);
	em_ji(&em, BPF_JEQ, R0, 0, out);
	em_alui(&em, BPF_SUB, R0, 1);
	em_ja(&em, back);
	em_place(&em, out);
	em_exit(&em);
	assert_int_equal(finish(&em), 0);
	assert_int_equal(em.code.n, 5);
	assert_int_equal(em.code.v[1].off, 2);
	assert_int_equal(em.code.v[3].off, -3);
	em_fini(&em);
}

/* What cannot be reached goes, with its references; jumps are adjusted. */
static void
test_dead(void **state)
{
	struct em em = { 0 };
	uint32_t end = em_label(&em), never = em_label(&em);

	em_imm(&em, R1, 1);
	em_ji(&em, BPF_JEQ, R1, 0, end);
	em_imm(&em, R0, 0x123456789abull); /* two slots */
	em_ja(&em, end);
	em_place(&em, never);
	em_fn(&em, "gone");
	em_ja(&em, end);
	em_place(&em, end);
	em_fn(&em, "kept");
	em_exit(&em);
	assert_int_equal(finish(&em), 0);
	assert_int_equal(em.code.n, 6);
	assert_int_equal(em.code.v[1].off, 2);
	assert_int_equal(em.ref.n, 1);
	assert_string_equal(em.ref.v[0].fn, "kept");
	assert_int_equal(em.ref.v[0].at, 4);
	em_fini(&em);
}

static void
test_kill(void **state)
{
	struct em em = { 0 };
	uint32_t at, end = em_label(&em);

	em_imm(&em, R0, 0);
	em_ji(&em, BPF_JEQ, R0, 0, end);
	at = em_raw(&em, BPF_ALU64 | BPF_MOV | BPF_K, R1, 0, 0, 7);
	em_place(&em, end);
	em_exit(&em);
	em_kill(&em, at);
	assert_int_equal(finish(&em), 0);
	assert_int_equal(em.code.n, 3);
	assert_int_equal(em.code.v[1].off, 0);
	em_fini(&em);
}

static void
test_append(void **state)
{
	struct em em = { 0 }, in = { 0 };
	uint32_t a = em_label(&em), b = em_label(&in);

	em_imm(&em, R0, 0);
	em_ji(&em, BPF_JEQ, R0, 0, a);
	em_ji(&in, BPF_JNE, R0, 1, b);
	em_fn(&in, "inner");
	em_place(&in, b);
	em_append(&em, &in);
	em_place(&em, a);
	em_exit(&em);
	assert_int_equal(finish(&em), 0);
	assert_int_equal(em.code.n, 5);
	assert_int_equal(em.code.v[1].off, 2);
	assert_int_equal(em.code.v[2].off, 1);
	assert_int_equal(em.ref.v[0].at, 3);
	em_fini(&em);
}

static void
test_immediates(void **state)
{
	struct em em = { 0 };

	em_imm(&em, R0, (uint64_t)-5);
	em_imm(&em, R0, 0xffffffffull); /* not sign-extended */
	em_imm(&em, R0, 0x100000000ull);
	em_exit(&em);
	assert_int_equal(em.code.v[0].code, BPF_ALU64 | BPF_MOV | BPF_K);
	assert_int_equal(em.code.v[0].imm, -5);
	assert_int_equal(em.code.v[1].code, BPF_ALU | BPF_MOV | BPF_K);
	assert_int_equal(em.code.v[2].code, BPF_LD | BPF_DW | BPF_IMM);
	assert_int_equal(em.code.v[3].imm, 1);
	assert_int_equal(finish(&em), 0);
	em_fini(&em);
}

/* Words of the frame that nobody names go; the others keep their order, and
   the parts of a word their place in it. */
static void
test_frame(void **state)
{
	struct em em = { 0 };

	em_st(&em, BPF_DW, FP, -16, R1);
	em_sti(&em, BPF_W, FP, -100, 7); /* upper half of the word at -104 */
	em_imm(&em, R3, 0x123456789abull);
	em_lea(&em, R2, FP, -120); /* two words */
	em_st(&em, BPF_DW, FP, -112, R1);
	em_lea(&em, R4, R6, -160); /* not of the frame */
	em_ld(&em, BPF_H, R0, FP, -98);
	em_exit(&em);
	assert_int_equal(finish(&em), 0);
	assert_int_equal(em.code.n, 11);
	assert_int_equal(em.code.v[0].off, -8);
	assert_int_equal(em.code.v[1].off, -12);
	assert_int_equal(em.code.v[5].imm, -32);
	assert_int_equal(em.code.v[6].off, -24);
	assert_int_equal(em.code.v[8].imm, -160);
	assert_int_equal(em.code.v[9].off, -10);
	em_fini(&em);
}

static void
test_too_far(void **state)
{
	struct em em = { 0 };
	struct err e = { 0 };
	uint32_t end = em_label(&em);

	em_ji(&em, BPF_JEQ, R1, 0, end);
	for (int i = 0; i < 40000; i++)
		em_alui(&em, BPF_ADD, R1, 1);
	em_place(&em, end);
	em_exit(&em);
	assert_int_equal(em_finish(&em, "clause_7", &e), -1);
	assert_non_null(strstr(e.msg, "clause_7"));
	em_fini(&em);
	em = (struct em){ 0 };
	em_ld(&em, BPF_DW, R1, FP, 40000); /* no such place */
	em_exit(&em);
	assert_int_equal(finish(&em), -1);
	em_fini(&em);
}

/* Check an instruction that adds to a register. */
static void
check_add(const struct bpf_insn *in, unsigned reg, int n)
{
	assert_int_equal(in->code, BPF_ALU64 | BPF_ADD | BPF_K);
	assert_int_equal(in->dst_reg, reg);
	assert_int_equal(in->imm, n);
}

/* The base goes to where an instruction reaches, and comes back if it is not
   what was loaded. */
static void
test_far(void **state)
{
	struct em em = { 0 };

	em_ld(&em, BPF_DW, R1, R2, 70000);
	em_st(&em, BPF_W, R6, 32768, R3);
	em_sti(&em, BPF_W, R6, 32767, 5);
	em_ld(&em, BPF_DW, R7, R7, 1 << 20);
	em_exit(&em);
	assert_int_equal(finish(&em), 0);
	assert_int_equal(em.code.n, 10);
	check_add(&em.code.v[0], R2, 69632);
	assert_int_equal(em.code.v[1].off, 70000 - 69632);
	check_add(&em.code.v[2], R2, -69632);
	check_add(&em.code.v[3], R6, 32768);
	assert_int_equal(em.code.v[4].off, 0);
	check_add(&em.code.v[5], R6, -32768);
	assert_int_equal(em.code.v[6].off, 32767);
	check_add(&em.code.v[7], R7, 1 << 20);
	assert_int_equal(em.code.v[8].src_reg, R7);
	em_fini(&em);
}

/* What a generator can do wrong with a label: nothing of it becomes code. */
static void
refused(struct em *em, const char *want)
{
	struct err e = { 0 };

	em_imm(em, R0, 0);
	em_exit(em);
	assert_int_equal(em_finish(em, "main", &e), -1);
	assert_string_equal(e.msg, want);
	em_fini(em);
}

static void
test_no_place(void **state)
{
	struct em em = { 0 }, in = { 0 };
	uint32_t twice;

	em_ja(&em, em_label(&em));
	refused(&em, "main: a label has no place");
	em = (struct em){ 0 };
	em_ja(&em, 0); /* one that nobody has made */
	em_place(&em, em_label(&em));
	refused(&em, "main: a label has no place");
	em = (struct em){ 0 };
	em_place(&em, em_label(&em));
	em_ja(&em, 2);
	refused(&em, "main: a label has no place");
	em = (struct em){ 0 };
	em_place(&em, 0);
	refused(&em, "main: a label that is none has a place");
	em = (struct em){ 0 };
	em_place(&em, em_label(&em) + 1);
	refused(&em, "main: a label that is none has a place");
	em = (struct em){ 0 };
	twice = em_label(&em);
	em_place(&em, twice);
	em_ja(&em, twice);
	em_place(&em, twice);
	refused(&em, "main: a label has two places");
	/* Put behind another that has labels, none stays none. */
	em = (struct em){ 0 };
	em_place(&em, em_label(&em));
	em_ja(&in, 0);
	em_append(&em, &in);
	refused(&em, "main: a label has no place");
	em = (struct em){ 0 };
	em_place(&in, 0);
	em_append(&em, &in);
	refused(&em, "main: a label that is none has a place");
}

static void
test_log_tail(void **state)
{
	static const struct {
		const char *log;
		int lines;
		const char *want;
	} v[] = {
		{ "", 2, "" },
		{ "one", 2, "one" },
		{ "one\n", 2, "one\n" },
		{ "one\ntwo\n", 2, "one\ntwo\n" },
		{ "one\ntwo\nthree\n", 2, "two\nthree\n" },
		{ "one\ntwo\nthree", 2, "two\nthree" },
		{ "one\ntwo\nthree\n", 1, "three\n" },
		{ "one\n\nthree\n", 2, "\nthree\n" },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		assert_string_equal(bpf_log_tail(v[i].log, v[i].lines),
				    v[i].want);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_dead),
		cmocka_unit_test(test_kill),
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_immediates),
		cmocka_unit_test(test_frame),
		cmocka_unit_test(test_too_far),
		cmocka_unit_test(test_far),
		cmocka_unit_test(test_no_place),
		cmocka_unit_test(test_log_tail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
