/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_eh.c - any bytes as an object file: its unwind tables, landing pads,
 * code pointers; and each of its functions analysed, with a window for every
 * instruction of it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "elf/elf.h"
#include "code/code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *
fz_bytes(void *arg, uint64_t addr, size_t n)
{
	return elf_bytes(arg, addr, n);
}

static bool
fz_is_fn(void *arg, uint64_t addr)
{
	return elf_is_fn(arg, addr);
}

static bool
fz_entered(void *arg, uint64_t lo, uint64_t hi, size_t i, uint64_t *addr)
{
	size_t n;
	const uint64_t *v = elf_entries(arg, &n);

	for (size_t k = 0; k < n; k++) {
		if (v[k] < lo || v[k] >= hi || i-- != 0)
			continue;
		*addr = v[k];
		return true;
	}
	return false;
}

static void
fz_pad(void *arg, uint64_t addr)
{
	if (elf_code_left(arg, addr) == 0)
		abort(); /* it promises to give code only */
}

/* Windows lie in the function but for padding, and hold their instruction. */
static void
fz_fn(const struct code_world *w, const struct elf_fde *d)
{
	struct code_part part = { d->addr, d->size };
	struct code_window win;
	struct err e = { 0 };
	struct code_fn f;

	if (code_fn_analyse(w, &part, 1, &f, &e) != 0)
		return;
	for (size_t i = 0; i < f.insns.n && i < 200; i++) {
		code_fn_window(w, &f, f.insns.v[i], &win);
		if (win.kind != CODE_WIN_NONE &&
		    f.insns.v[i] - win.start >= win.len)
			abort();
	}
	code_fn_fini(&f);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open_mem(data, size, "fuzz", &e);
	struct code_world w = { .arg = f,
				.bytes = fz_bytes,
				.is_fn = fz_is_fn,
				.entered = fz_entered };
	const struct elf_fde *v;
	size_t n, k;

	if (f == NULL)
		return 0;
	v = elf_fdes(f, &n);
	for (size_t i = 0; i < n && i < 100; i++)
		elf_landing_pads(f, &v[i], fz_pad, f);
	if (elf_entries(f, &k) != NULL)
		for (size_t i = 0; i < n && i < 20; i++)
			if (v[i].size < 4096)
				fz_fn(&w, &v[i]);
	elf_close(f);
	return 0;
}
