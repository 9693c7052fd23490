#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""explain.py - what dtrace --explain knows, of the tables of tags and of
src/cmd/explain.def.

usage: explain.py SOURCE_ROOT c|man OUTPUT
       explain.py SOURCE_ROOT run DTRACE

c writes rows for cmd_explain.c, man the page dtrace-errors(7).  run runs the
examples with DTRACE: each must raise its tag.  A tag without a row in
explain.def, or a row without a tag, is an error.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

STRING = r'"(?:[^"\\]|\\.)*"'
STRINGS = rf'((?:{STRING}\s*)+)'
TABLES = (("src/lang/errtag.def", "TAG", ""), ("src/probe/errtag.def", "TAG", ""),
          ("src/lib/errtag.def", "EDT", "EDT_"))
# Options that commands of examples get: tags, and one line for each error.
TAGGED = "-x errtags -x errfmt=classic"


def text(literals):
    """C string literals, one after the other."""
    return "".join(json.loads(s) for s in re.findall(STRING, literals))


def meanings(root):
    found = {}
    for path, macro, prefix in TABLES:
        for name, what in re.findall(rf"^{macro}\((\w+),\s*({STRING})\)",
                                     (root / path).read_text(), re.M):
            found[prefix + name] = text(what)
    return found


def rows(root):
    """[(tag, how, meaning, why, example, cure)], in the order of tags."""
    what = meanings(root)
    found = {}
    for tag, how, why, example, cure in re.findall(
            rf"^EXPLAIN\((\w+), (RUN|TOLD),\s*{STRINGS},\s*{STRINGS},"
            rf"\s*{STRINGS}\)", (root / "src/cmd/explain.def").read_text(),
            re.M):
        if tag in found:
            sys.exit(f"src/cmd/explain.def: {tag} stands twice")
        found[tag] = (tag, how, what.get(tag), text(why), text(example),
                      text(cure))
    for tag in what.keys() - found.keys():
        sys.exit(f"src/cmd/explain.def: {tag} is missing, or not understood")
    for tag in found.keys() - what.keys():
        sys.exit(f"src/cmd/explain.def: there is no tag {tag}")
    return [found[t] for t in what]


# First words that are what one types, and stay as they are; so does what has
# other characters than letters: printa(), this->, dtrace(1).
TYPED = ("dtrace", "offsetof", "sizeof", "stringof")


def sentence(s):
    word = s.split(" ")[0].rstrip(",;:.")
    if word.isalpha() and word not in TYPED:
        s = s[0].upper() + s[1:]
    return s if s == "" or s[-1] in ".!?" else s + "."


def write_c(table, out):
    lines = ["/* Made by tools/explain.py. */\n"]
    for tag, _, what, why, example, cure in table:
        lines.append("EXPLAINED(" + ", ".join(
            json.dumps(s) for s in (tag, what, sentence(what), sentence(why),
                                    example, sentence(cure))) + ")\n")
    out.write_text("".join(lines))


def roff(s):
    s = s.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    return "\n".join("\\&" + l if l[:1] in (".", "'") else l
                     for l in s.split("\n"))


def prose(s):
    """Each sentence on a line of its own, as mdoc wants it."""
    return roff(re.sub(r"([.!?]) (?=[A-Z])", r"\1\n", s))


PAGE = r""".\" SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
.\" Made by tools/explain.py of src/cmd/explain.def.
.Dd November 23, 2026
.Dt DTRACE-ERRORS 7
.Os
.Sh NAME
.Nm dtrace-errors
.Nd errors of D programs and of libdtrace, and what to do
.Sh DESCRIPTION
Every error has a tag, which
.Ql dtrace -x errtags
puts before its text.
.Ql dtrace --explain TAG
prints what is here;
.Ql dtrace --explain
lists all tags.
"""


EXAMPLES = r""".Sh EXAMPLES
What the tag
.Dv D_IDENT_UNDEF
means:
.Pp
.Dl dtrace --explain D_IDENT_UNDEF
.Pp
All errors of a script, with their tags, and nothing traced:
.Pp
.Dl dtrace -e -x errtags -s script.d
"""


def write_man(table, out):
    parts = [PAGE]
    section = None
    for tag, _, what, why, example, cure in table:
        new = "Errors of the library" if tag.startswith("EDT_") else \
            "Errors of programs"
        if new != section:
            parts.append(f"{'.El' + chr(10) if section else ''}.Ss {new}\n"
                         ".Bl -tag -width Ds\n")
            section = new
        parts.append(f".It Dv {tag}\n{prose(sentence(what))}\n")
        if why:
            parts.append(prose(why) + "\n")
        parts.append(f".Bd -literal\n{roff(example.rstrip())}\n.Ed\n.Pp\n"
                     f"{prose(cure)}\n")
    parts.append(".El\n" + EXAMPLES + ".Sh SEE ALSO\n.Xr dtrace 1 ,\n.Xr libdtrace 3 ,\n.Xr d 5\n")
    out.write_text("".join(parts))


def command(dtrace, tag, example):
    """The example with our dtrace; one that compiles only, for errors of
    programs."""
    only = "-e " if tag.startswith("D_") else ""
    return re.sub(r"\bdtrace (?=-)", lambda m: f"{dtrace} {only}{TAGGED} ",
                  example, count=1)


def run(table, dtrace):
    bad = done = 0
    for tag, how, _, _, example, _ in table:
        if how != "RUN":
            continue
        done += 1
        p = subprocess.run(["sh", "-c", command(dtrace, tag, example)],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, errors="replace")
        m = re.search(r"\[((?:D|EDT)_\w+)\]", p.stderr)
        if m is None or m[1] != tag:
            bad += 1
            print(f"{tag}: {example}\n  raised {m[1] if m else 'no tag'}: "
                  f"{p.stderr[:300]}")
    print(f"{done} examples, {bad} bad")
    return bad != 0 or done < 200


def main():
    root, what, to = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    table = rows(root)
    if what == "run":
        sys.exit(run(table, to.resolve()))
    (write_c if what == "c" else write_man)(table, to)


if __name__ == "__main__":
    main()
