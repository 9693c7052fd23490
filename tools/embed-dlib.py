#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Build the D library into libdtrace: embed-dlib.py OUTPUT.c FILE.d ...

OUTPUT.c defines dt_dlib_texts[] of lib/dt_dlib.h, in order of name, each with
the names that it declares, sorted, each with a NUL behind it.  Those are what
lang_declares() finds; a test compares (src/lib/test/test_dt_dlib.c).
"""
import os
import re
import sys

PIECE = re.compile(r"""/\*.*?\*/ | //[^\n]* | \#[^\n]* | [ \t\n]+ |
                       "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | [0-9]\w* |
                       (?P<word>[A-Za-z_]\w*) | (?P<char>.)""",
                   re.S | re.X)


def declared(text):
    """Names that are declared: lex_words.c says by which rule."""
    names, last, before = set(), "", ""
    braces = brackets = in_enum = 0
    value = translator = False
    for m in PIECE.finditer(text):
        word, c = m["word"], m["char"]
        if word:
            if braces == 0 and not value and word == "translator":
                translator = True
            elif translator and braces == 0:
                names.add(word)
            last, before = word, last
        if not c:
            continue
        outer = braces == 0 and brackets == 0 and not value
        if c == "{":
            braces += 1
            if "enum" in (last, before):
                in_enum = braces
        if (c == "{" and last != "enum" or outer and c in "=;,[()" or
                in_enum and in_enum == braces and c in ",=}"):
            names.add(last)
        if c == "}":
            in_enum = 0 if in_enum == braces else in_enum
            braces -= 1
        brackets += {"[": 1, "]": -1}.get(c, 0)
        value = braces == 0 and c != ";" and (value or c == "=")
        translator = translator and c not in "<;"
        last = before = ""
    return sorted(names - {"", "struct", "union"})


def c_bytes(name, data):
    lines = ["\t" + "".join(f"{b}," for b in data[i:i + 16]) + "\n"
             for i in range(0, len(data), 16)]
    return f"static const char {name}[] = {{\n{''.join(lines)}}};\n\n"


def main():
    out, *paths = sys.argv[1:]
    paths.sort(key=os.path.basename)
    rows = []
    with open(out, "w") as f:
        f.write('#include "lib/dt_dlib.h"\n\n')
        for n, path in enumerate(paths):
            with open(path, "rb") as d:
                data = d.read()
            names = declared(data.decode())
            f.write(c_bytes(f"text{n}", data))
            f.write(c_bytes(f"names{n}", "".join(
                name + "\0" for name in names).encode()))
            rows.append(f'\t{{ "{os.path.basename(path)}", text{n}, '
                        f"sizeof(text{n}), names{n}, sizeof(names{n}) }},\n")
        f.write("const struct dt_dlib_text dt_dlib_texts[] = {\n" +
                "".join(rows) + "};\nconst size_t dt_dlib_ntexts =\n"
                "\tsizeof(dt_dlib_texts) / sizeof(dt_dlib_texts[0]);\n")


main()
