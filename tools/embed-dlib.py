#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Build the D library into libdtrace: embed-dlib.py OUTPUT.c FILE.d ...

OUTPUT.c defines dt_dlib_texts[] of lib/dt_dlib.h, in order of name.
"""
import os
import sys

out, *paths = sys.argv[1:]
paths.sort(key=os.path.basename)
with open(out, 'w') as f:
    f.write('#include "lib/dt_dlib.h"\n\n')
    for n, path in enumerate(paths):
        with open(path, 'rb') as d:
            data = d.read()
        f.write(f'static const char text{n}[] = {{\n')
        for i in range(0, len(data), 16):
            f.write('\t' + ','.join(str(b) for b in data[i:i + 16]) + ',\n')
        f.write('};\n\n')
    f.write('const struct dt_dlib_text dt_dlib_texts[] = {\n')
    for n, path in enumerate(paths):
        f.write(f'\t{{ "{os.path.basename(path)}", text{n}, '
                f'sizeof(text{n}) }},\n')
    f.write('};\nconst size_t dt_dlib_ntexts =\n'
            '\tsizeof(dt_dlib_texts) / sizeof(dt_dlib_texts[0]);\n')
