/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_self.h - for tests: the program that runs, as an object.
 */
#pragma once
#include "elf/elf.h"

static inline struct elf_file *
open_self(void)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open("/proc/self/exe", &e);

	assert_non_null(f);
	return f;
}
