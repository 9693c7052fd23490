/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* fuzz_elf.c - any bytes as an object file: opened, searched, closed. */
#include <stddef.h>
#include <stdint.h>

#include "elf/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open_mem(data, size, "fuzz", &e);
	const struct elf_sym *s;
	uint64_t addr, off, n64;
	size_t n;

	if (f == NULL)
		return 0;
	s = elf_syms(f, &n);
	for (size_t i = 0; i < n && i < 1000; i++) {
		elf_sym_at(f, s[i].addr + s[i].size / 2);
		elf_sym_find(f, s[i].name);
		elf_bytes(f, s[i].addr, s[i].size);
		elf_addr_to_off(f, s[i].addr, &off);
	}
	if (elf_text(f, &addr, &n64)) {
		elf_bytes(f, addr, n64);
		for (uint64_t i = 0; i < n64 && i < 4096; i += 8)
			elf_stub_at(f, addr + i);
	}
	elf_probes(f, &n);
	elf_probe_decl(f, "a", "b");
	elf_undef(f, "__");
	elf_soname(f);
	elf_close(f);
	return 0;
}
