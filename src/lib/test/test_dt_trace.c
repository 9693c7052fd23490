/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Values without a format: trace(), tracemem(), stacks, symbols. */
#include "dt_test.h"

static struct cap c;
static struct rec r;

static int
setup(void **state)
{
	cap_init(&c);
	memset(&r, 0, sizeof(r));
	return 0;
}

static int
teardown(void **state)
{
	cap_fini(&c);
	return 0;
}

static void
run(uint32_t kind, const char *want)
{
	assert_int_equal(rec_stmt(&c, &r, kind, NULL), 0);
	cap_expect(&c, want);
}

static void
test_integers(void **state)
{
	rec_int(&r, -1, 8);
	run(DIF_ACT_TRACE, "               -1");
	rec_int(&r, 12345, 4);
	run(DIF_ACT_TRACE, "    12345");
	rec_uint(&r, 65535, 2);
	run(DIF_ACT_TRACE, " 65535");
	rec_int(&r, -1, 1);
	run(DIF_ACT_TRACE, "  -1");
	rec_uint(&r, UINT64_MAX, 8);
	run(DIF_ACT_TRACE, " 18446744073709551615");
	c.o.quiet = true;
	rec_int(&r, -1, 8);
	run(DIF_ACT_TRACE, "-1");
	rec_uint(&r, 0xffffffff, 4);
	run(DIF_ACT_TRACE, "4294967295");
}

static void
test_strings(void **state)
{
	rec_str(&r, "hello");
	run(DIF_ACT_TRACE, "  hello                            ");
	rec_bytes(&r, "ab\tc\0\0\0\0", 8);
	run(DIF_ACT_TRACE, "  ab\tc                             ");
	rec_str(&r, "a string of more than thirty-three characters");
	run(DIF_ACT_TRACE, "  a string of more than thirty-three characters");
	c.o.quiet = true;
	rec_str(&r, "hello");
	run(DIF_ACT_TRACE, "hello");
}

#define DUMP_HEAD                                                              \
	"\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f"        \
	"  0123456789abcdef\n"

static void
test_bytes(void **state)
{
	rec_bytes(&r, "ab\0c", 4); /* text after a NUL is no text */
	run(DIF_ACT_TRACE, DUMP_HEAD
	    "         0: 61 62 00 63                                    "
	    "  ab.c\n");
	c.o.rawbytes = true;
	rec_bytes(&r, "abcdefghijklmnop\xff", 18);
	run(DIF_ACT_TRACE, DUMP_HEAD
	    "         0: 61 62 63 64 65 66 67 68 69 6a 6b 6c 6d 6e 6f 70"
	    "  abcdefghijklmnop\n"
	    "        10: ff 00                                          "
	    "  ..\n");
}

static void
test_tracemem(void **state)
{
	rec_bytes(&r, "abcd", 4);
	run(DIF_ACT_TRACEMEM, DUMP_HEAD
	    "         0: 61 62 63 64                                    "
	    "  abcd\n");
	rec_bytes(&r, "abcd", 4);
	rec_int(&r, 2, 4);
	run(DIF_ACT_TRACEMEM, DUMP_HEAD
	    "         0: 61 62                                          "
	    "  ab\n");
	rec_bytes(&r, "abcd", 4);
	rec_uint(&r, 0, 8);
	run(DIF_ACT_TRACEMEM, DUMP_HEAD);
	rec_bytes(&r, "abcd", 4);
	rec_uint(&r, UINT64_MAX, 8); /* a size_t: as much as there is */
	run(DIF_ACT_TRACEMEM, DUMP_HEAD
	    "         0: 61 62 63 64                                    "
	    "  abcd\n");
}

static void
test_stacks(void **state)
{
	const uint64_t pcs[] = { 0xff02, 0xff00, 0 };
	const uint64_t upcs[] = { 7, 0x104, 0x10 };

	rec_src(&r, DIF_SRC_STACK, 3, pcs, sizeof(pcs));
	run(DIF_ACT_STACK, "\n              vmlinux`start+0x2\n"
			   "              vmlinux`start\n");
	c.o.stackindent = 2;
	rec_src(&r, DIF_SRC_USTACK, 2, upcs, sizeof(upcs));
	run(DIF_ACT_USTACK, "\n  a.out`main+0x4\n  0x10\n");
}

static void
test_symbols(void **state)
{
	const uint64_t k = 0xff08, u[] = { 7, 0x108 }, lost[] = { 8, 0x108 };

	rec_src(&r, DIF_SRC_SYM, DIF_ACT_SYM, &k, 8);
	run(DIF_ACT_SYM, "  vmlinux`start                            "
			 "         ");
	rec_src(&r, DIF_SRC_SYM, DIF_ACT_MOD, &k, 8);
	run(DIF_ACT_MOD, "  vmlinux                                  "
			 "         ");
	rec_src(&r, DIF_SRC_USYM, DIF_ACT_USYM, u, 16);
	run(DIF_ACT_USYM, "  a.out`main                              "
			  "          ");
	rec_src(&r, DIF_SRC_USYM, DIF_ACT_UADDR, u, 16);
	run(DIF_ACT_UADDR, "  a.out`main+0x8                         "
			   "           ");
	rec_src(&r, DIF_SRC_USYM, DIF_ACT_UMOD, lost, 16);
	run(DIF_ACT_UMOD, "  0x108                                   "
			  "          ");
}

static void
test_name(void **state)
{
	const uint32_t id = 1;

	c.o.quiet = true;
	rec_src(&r, DIF_SRC_NAME, DIF_VAR_probefunc, &id, 4);
	run(DIF_ACT_TRACE, "read");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(test_integers), T(test_strings), T(test_bytes),
		T(test_tracemem), T(test_stacks),  T(test_symbols),
		T(test_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
