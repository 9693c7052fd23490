#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Turn the linked blob into C: blob.py BLOB.elf rt_native.def subr.def OUT.c

OUT.c defines `const struct rtn_image rtn_image` (src/rt/rt_native.h): the bytes
of .text and where in them the functions of the two tables are: rtn_NAME or
rt_NAME for rt_native.def, rt_subr_NAME for subr.def.

The blob is copied to any address and runs there, so nothing may need a loader:
a section with data, or a relocation that is left, is an error that names it.
"""
import re
import struct
import sys

SHT_SYMTAB, SHT_RELA, SHF_ALLOC = 2, 4, 2
# What a linker puts into any position-independent file; nothing refers to it.
LINKER_OWN = {'.dynamic', '.dynsym', '.dynstr', '.hash', '.gnu.hash'}
NO_SUBR = 0xffffffff
MAX_SUBR = 64


class Section:
    def __init__(self, data, at):
        (self.name_off, self.type, self.flags, self.addr, self.off, self.size,
         self.link) = struct.unpack_from('<IIQQQQI', data, at)
        self.bytes = data[self.off:self.off + self.size]


def text_at(table, off):
    return table[off:table.index(b'\0', off)].decode()


def sections(data):
    shoff, = struct.unpack_from('<Q', data, 40)
    entsize, num, strndx = struct.unpack_from('<HHH', data, 58)
    secs = [Section(data, shoff + i * entsize) for i in range(num)]
    for s in secs:
        s.name = text_at(secs[strndx].bytes, s.name_off)
    return secs


def check(secs):
    for s in secs:
        if s.type == SHT_RELA and s.size:
            offs = [hex(struct.unpack_from('<Q', s.bytes, i)[0])
                    for i in range(0, s.size, 24)]
            sys.exit(f'blob: {s.name}: relocations at {", ".join(offs)}')
        if s.flags & SHF_ALLOC and s.size and s.name != '.text' \
                and s.name not in LINKER_OWN:
            sys.exit(f'blob: {s.name} has {s.size} bytes; the blob may have '
                     'code and constants only')


def symbols(secs):
    tab = next(s for s in secs if s.type == SHT_SYMTAB)
    names = secs[tab.link].bytes
    found = {}
    for i in range(0, tab.size, 24):
        name, _info, _other, _shndx, value = \
            struct.unpack_from('<IBBHQ', tab.bytes, i)
        found[text_at(names, name)] = value
    return found


def functions(path, syms):
    with open(path, encoding='utf-8') as f:
        names = re.findall(r'^RTNFN\((\w+),', f.read(), re.M)
    for n in names:
        value = syms.get('rtn_' + n, syms.get('rt_' + n))
        if value is None:
            sys.exit(f'blob: no function rtn_{n} or rt_{n}')
        yield n, value


def subroutines(path, syms):
    with open(path, encoding='utf-8') as f:
        rows = re.findall(r'^SUBR\((\d+), (\w+),', f.read(), re.M)
    off = [NO_SUBR] * MAX_SUBR
    for num, name in rows:
        off[int(num)] = syms.get('rt_subr_' + name, NO_SUBR)
    return off


def main():
    elf, fn_def, subr_def, out = sys.argv[1:]
    with open(elf, 'rb') as f:
        secs = sections(f.read())
    check(secs)
    code = next(s for s in secs if s.name == '.text')
    syms = symbols(secs)
    assert code.addr == 0
    with open(out, 'w', encoding='utf-8') as f:
        f.write('#include "rt/rt_native.h"\n\n')
        f.write('static const uint8_t code[] __attribute__((aligned(64))) = {\n')
        for i in range(0, code.size, 16):
            f.write('\t' + ','.join(map(str, code.bytes[i:i + 16])) + ',\n')
        f.write('};\n\nconst struct rtn_image rtn_image = {\n')
        f.write('\t.code = code,\n\t.n = sizeof(code),\n\t.off = {\n')
        for name, value in functions(fn_def, syms):
            f.write(f'\t\t[RTN_FN_{name}] = {value},\n')
        f.write('\t},\n\t.subr = {\n')
        for value in subroutines(subr_def, syms):
            f.write(f'\t\t{value}u,\n')
        f.write('\t},\n};\n')


main()
