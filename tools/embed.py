#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Turn a file into a C array: embed.py INPUT OUTPUT.c NAME HEADER

OUTPUT.c defines `const unsigned char NAME[]` and `const size_t NAME_len`, which
HEADER declares.  The array is aligned for an ELF reader.
"""
import sys

path, out, name, header = sys.argv[1:]
with open(path, 'rb') as f:
    data = f.read()
with open(out, 'w') as f:
    f.write(f'#include "{header}"\n\n')
    f.write(f'const unsigned char {name}[] __attribute__((aligned(16))) = {{\n')
    for i in range(0, len(data), 16):
        f.write('\t' + ','.join(str(b) for b in data[i:i + 16]) + ',\n')
    f.write(f'}};\nconst size_t {name}_len = {len(data)};\n')
