#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""explain.py - what dtrace --explain knows, of the tables of tags and of
src/cmd/explain.def.

usage: explain.py SOURCE_ROOT c|man OUTPUT
       explain.py SOURCE_ROOT run DTRACE

c writes rows for cmd_explain.c, man the page dtrace-errors(7).  run runs the
examples with DTRACE: each must raise its tag, and its explanation must be shown
whole, in lines that are as full as they may be.  A tag without a row in
explain.def, or a row without a tag, is an error.
"""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import textwrap
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


def shown(row, width):
    """What --explain prints of a row."""
    tag, _, what, why, example, cure = row
    fill = lambda s: "".join(l + "\n" for l in textwrap.wrap(
        sentence(s), width, break_long_words=False, break_on_hyphens=False))
    return (f"{tag}\n\n{fill(what)}{fill(why)}\n" +
            "".join(f"    {l}\n" for l in example.splitlines()) +
            f"\n{fill(cure)}")


def on_terminal(argv, columns):
    """What a command writes to a terminal of so many columns."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=its)
    os.close(its)
    out = b""
    try:
        while part := os.read(ours, 65536):
            out += part
    except OSError:  # it has ended
        pass
    os.close(ours)
    p.wait()
    return out.decode().replace("\r\n", "\n")


def show(table, dtrace):
    """How many explanations are shown as something else than they are."""
    bad = 0
    for row in table:
        out = subprocess.run([dtrace, "--explain", row[0].lower()],
                             stdout=subprocess.PIPE, text=True).stdout
        bad += out != shown(row, 79)
    # In a terminal's width, but for what is too narrow or too wide to read.
    for columns, width in ((29, 79), (30, 29), (50, 49), (79, 78), (80, 79),
                           (81, 79), (200, 79)):
        for row in table[:10]:
            out = on_terminal([dtrace, "--explain", row[0]], columns)
            bad += out != shown(row, width)
    out = subprocess.run([dtrace, "--explain"], stdout=subprocess.PIPE,
                         text=True).stdout
    bad += out != "".join(f"{r[0]:22} {r[2]}\n" for r in table)
    if bad != 0:
        print(f"{bad} explanations are not shown as they are")
    return bad


def run(table, dtrace):
    bad = show(table, dtrace)
    done = 0
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
