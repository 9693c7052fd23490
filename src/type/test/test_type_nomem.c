/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_type_nomem.c - the nth allocation of what imports types fails,
 * n = 1, 2, 3 ...: from a small kernel's BTF, and from the DWARF of this
 * program.  Either the answers are those that there are with memory, or
 * type_space_failures() says that they need not be; and asked again, with
 * memory, the same space has the right ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <cmocka.h>

#include "base/test/nomem.h"
#include "elf/elf.h"
#include "type/test/made_kernel.h"
#include "type/type.h"

#define EACH 200 /* allocations that fail one by one */

/* ---- what is asked ------------------------------------------------------- */

/* A type, its size, alignment, and the names and types of its list. */
static void
put_type(struct buf *b, struct type *t)
{
	const struct type_enumerator *en;
	const struct type_param *p;
	const struct type_member *m;
	size_t n;

	if (t == NULL) {
		buf_puts(b, "none\n");
		return;
	}
	type_name(t, b);
	buf_printf(b, " %zu %u:", (size_t)type_size(t), type_align(t));
	m = type_members(t, &n);
	for (size_t i = 0; i < n; i++) {
		buf_printf(b, " %s ", m[i].name != NULL ? m[i].name : "-");
		type_name(m[i].type, b);
	}
	p = type_params(t, &n);
	for (size_t i = 0; i < n; i++) {
		buf_printf(b, " %s ", p[i].name != NULL ? p[i].name : "-");
		type_name(p[i].type, b);
	}
	en = type_enumerators(t, &n);
	for (size_t i = 0; i < n; i++)
		buf_printf(b, " %s=%d", en[i].name, (int)en[i].val);
	buf_puts(b, "\n");
}

static void
put_enumerator(struct buf *b, struct type_space *ts, const char *name)
{
	struct type *t = NULL;
	int64_t val = 0;
	bool any = type_lookup_enumerator(ts, name, true, &val, &t);

	buf_printf(b, "%s %d %d %d\n", name, any, t != NULL, (int)val);
}

static void
ask_kernel(struct buf *b, struct type_space *ts, void *arg)
{
	static const char *const names[] = { "struct task", "task_t",
					     "enum state", "struct ext",
					     "struct no_such_thing" };

	(void)arg;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		put_type(b, type_lookup(ts, NULL, names[i]));
	put_type(b, type_kernel_func(ts, NULL, "wake"));
	put_type(b, type_lookup(ts, "no_such_module", "struct task"));
	put_type(b, type_kernel_func(ts, "ext", "ext_do"));
	put_enumerator(b, ts, "STOP");
	put_enumerator(b, ts, "TWO"); /* two numbers have that name */
	put_enumerator(b, ts, "NO_SUCH_NUMBER");
}

/* Of this program. */
enum color { RED = 1, BLUE = 7 };
typedef struct point {
	int x, y;
	enum color color;
	const char *names[3];
	struct point *next;
} point_t;
point_t *of_point(point_t *p, const char *text, int n);

point_t *
of_point(point_t *p, const char *text, int n)
{
	p->names[n] = text;
	return p->next;
}

static void
ask_program(struct buf *b, struct type_space *ts, void *arg)
{
	struct elf_file *f = arg;
	uint64_t at = (uint64_t)(uintptr_t)of_point -
		      (getauxval(AT_ENTRY) - elf_entry(f));
	struct type_prog *p = type_prog(ts, f);

	if (p == NULL)
		return;
	put_type(b, type_prog_func(p, at));
	put_type(b, type_prog_lookup(p, "point_t"));
	put_type(b, type_prog_lookup(p, "enum color"));
	put_type(b, type_prog_lookup(p, "struct no_such_thing"));
}

/* ---- the tries ----------------------------------------------------------- */

static struct type_space *
new_space(void)
{
	struct err e = { 0 };
	struct type_space *ts = type_space_base(&e);

	assert_non_null(ts);
	return ts;
}

static bool
open_kernel(struct type_space *ts)
{
	return type_space_use_kernel(ts, made_dir) == 0;
}

static bool
open_nothing(struct type_space *ts)
{
	(void)ts;
	return true;
}

/* What is answered where the nth allocation fails, 0: where none does. */
static bool
answer(struct type_space *ts, long n, bool (*begin)(struct type_space *),
       void (*ask)(struct buf *, struct type_space *, void *), void *arg,
       struct buf *out)
{
	struct buf b = BUF_INIT;
	bool failed, told;
	size_t was = type_space_failures(ts);

	nomem_arm(n);
	if (begin(ts))
		ask(&b, ts, arg);
	failed = nomem_disarm();
	told = type_space_failures(ts) != was || b.failed;
	if (!told && strcmp(buf_str(&b), buf_str(out)) != 0)
		fail_msg("allocation %ld: wrong without a word:\n%s", n,
			 buf_str(&b));
	assert_true(failed || !told);
	buf_fini(&b);
	return failed;
}

static void
tries(bool (*begin)(struct type_space *),
      void (*ask)(struct buf *, struct type_space *, void *), void *arg)
{
	struct type_space *ts = new_space();
	struct buf right = BUF_INIT;
	bool more = true;
	long n;

	assert_true(begin(ts));
	ask(&right, ts, arg);
	assert_int_equal(type_space_failures(ts), 0);
	type_space_free(ts);
	for (n = 1; more; n = nomem_next(n, EACH)) {
		ts = new_space();
		more = answer(ts, n, begin, ask, arg, &right);
		answer(ts, 0, begin, ask, arg, &right);
		type_space_free(ts);
	}
	print_message("# about %ld allocations\n", n);
	assert_true(n > 10);
	buf_fini(&right);
}

static void
test_kernel(void **state)
{
	(void)state;
	tries(open_kernel, ask_kernel, NULL);
}

static void
test_program(void **state)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open("/proc/self/exe", &e);
	point_t p = { .next = NULL };

	(void)state;
	assert_non_null(f);
	assert_null(of_point(&p, "", RED));
	tries(open_nothing, ask_program, f);
	elf_close(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_program),
	};

	return cmocka_run_group_tests(tests, made_setup, made_teardown);
}
