#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""syntax.py - D for editors: Vim, Emacs, VS Code.

usage: syntax.py KW_DEF VAR_DEF SUBR_DEF ACT_DEF AGG_DEF TEMPLATE OUTPUT

In a template @NAME@ stands for the words of that name, separated by blanks,
@NAME|@ for the same separated by "|", and @NAME"@ for strings of Lisp.
Names: TYPES and KEYWORDS (of the language), VARIABLES, FUNCTIONS (subroutines
and actions), AGGREGATIONS.
"""
import re
import sys
from pathlib import Path

ROWS = {
    "VARIABLES": [r"^VAR\([^,]*, *(\w+),"],
    "FUNCTIONS": [r"^SUBR\([^,]*, *(\w+),", r'^ACT\([^,]*, *\w+, *"(\w+)"'],
    "AGGREGATIONS": [r"^AGG\([^,]*, *(\w+),"],
}


def words(text):
    keywords = re.findall(r"^KW\((\w+), ([^)]*)\)", text, re.M)
    served = [(w, f) for w, f in keywords if "RESERVED" not in f]
    found = {
        "TYPES": [w for w, f in served if "TYPE" in f],
        "KEYWORDS": [w for w, f in served if "TYPE" not in f],
    }
    for name, rows in ROWS.items():
        found[name] = sorted({w for row in rows
                              for w in re.findall(row, text, re.M)})
    for name, v in found.items():
        if len(v) < 8:
            sys.exit("syntax.py: only %d %s were found" % (len(v), name))
    return found


def main():
    *tables, template, out = sys.argv[1:]
    found = words("\n".join(Path(t).read_text() for t in tables))

    def put(m):
        v, sep = found[m[1]], m[2]
        if sep == '"':
            return " ".join('"%s"' % w for w in v)
        return (sep or " ").join(v)

    Path(out).write_text(re.sub(r'@([A-Z]+)([|"]?)@', put,
                                Path(template).read_text()))


main()
