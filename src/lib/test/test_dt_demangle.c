/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Names of linkers, and what they stand for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "lib/dt_demangle.h"

static void
expect(const char *name, const char *want)
{
	struct buf b = BUF_INIT;

	dt_demangle(name, &b);
	assert_string_equal(buf_str(&b), want);
	buf_fini(&b);
}

static void
known(void **state)
{
	expect("_ZN3foo3barEv", "foo::bar()");
	expect("_ZN3foo3barEiPKc@plt", "foo::bar(int, char const*)@plt");
	expect("_Z3maxIiET_S0_S0_", "max<int>(int, int)");
	expect("_ZN3foo3barEv.cold", "foo::bar() [clone .cold]");
	expect("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
	       "core::fmt::Write::write_fmt");
	expect("_RNvC6_123foo3bar", "123foo::bar");
}

static void
others(void **state)
{
	expect("", "");
	expect("main", "main");
	expect("main.add", "main.add");
	expect("_Zxyz", "_Zxyz");
	expect("_ZN3foo", "_ZN3foo");
	expect("_R", "_R");
	expect("puts@plt", "puts@plt");
}

/* Each parameter is twice as long as the one before it. */
static void
bomb(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct buf name = BUF_INIT, out = BUF_INIT;

	buf_puts(&name, "_Z1f1AIiiE");
	dt_demangle(buf_str(&name), &out);
	assert_string_equal(buf_str(&out), "f(A<int, int>)");
	out.n = 0;
	for (size_t i = 0; i < sizeof(digits) - 1; i++)
		buf_printf(&name, "S_IS%c_S%c_E", digits[i], digits[i]);
	dt_demangle(buf_str(&name), &out);
	assert_string_equal(buf_str(&out), buf_str(&name));
	buf_fini(&name);
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known),
		cmocka_unit_test(others),
		cmocka_unit_test(bomb),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
