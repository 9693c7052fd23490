#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""toolkit-man.py - manual pages of the tools, from their headers and examples.

usage: toolkit-man.py OUTPUT_DIRECTORY TOOL.d ...

Writes dtrace-NAME.1 for each toolkit/NAME.d, whose example is
examples/NAME.txt beside it.  What a header looks like stands in
doc/howto-tool.md; one of another form is an error.  tools/check-toolkit reads
headers by this file, too.
"""
import re
import sys
from pathlib import Path

FIELDS = ("Usage", "Needs", "Args", "Options", "See")
DATE = "November 23, 2026"


class Bad(Exception):
    """What is wrong with a header."""


def comment(text):
    """The lines of the header, without the marks of a comment."""
    m = re.search(r"^/\*\n(.*?)^ \*/", text, re.M | re.S)
    if not m:
        raise Bad("no comment that begins with a line /*")
    lines = m[1].rstrip("\n").split("\n")
    for line in lines:
        if not re.match(r" \*( |$)", line):
            raise Bad("a line of the header does not begin with ' *': " + line)
    return [line[3:].rstrip() for line in lines]


def dedent(lines):
    """Lines of a field, without the columns that all have before them."""
    n = min((len(s) - len(s.lstrip()) for s in lines if s), default=0)
    return [s[n:] for s in lines]


class Header:
    """what: the line of the list; fields: {word: lines}; about: paragraphs, each
    a list of lines."""
    def __init__(self, path):
        self.name = Path(path).stem
        lines = comment(Path(path).read_text())
        m = re.fullmatch(re.escape(self.name) + r" - (\S.*)", lines[0])
        if not m:
            raise Bad(f"the header does not begin with '{self.name} - '")
        self.what = m[1]
        self.fields, self.about = {}, []
        where = None
        for line in lines[1:]:
            where = self.take(line, where)
        for f in ("Usage", "Needs"):
            if f not in self.fields:
                raise Bad(f"the header has no {f}:")
        if not self.about:
            raise Bad("the header describes nothing")

    def take(self, line, where):
        """A line; the list that the next one goes to, if it goes on."""
        if not line:
            return None
        m = re.match(r"(%s):\s*" % "|".join(FIELDS), line)
        if m:
            if m[1] in self.fields:
                raise Bad(f"{m[1]}: stands there twice")
            where = self.fields[m[1]] = []
            # The first line stands where the others are indented to.
            line = " " * len(m[0]) + line[len(m[0]):]
        elif where is None:
            where = []
            self.about.append(where)
        where.append(line)
        return where

    def field(self, name):
        return dedent(self.fields.get(name, []))

    def see(self):
        return re.findall(r"[\w-]+", " ".join(self.field("See")))


def esc(text):
    out = text.replace("\\", "\\e")
    out = "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in out)
    return "\\&" + out if out[:1] in (".", "'") else out


def literal(lines):
    return [".Bd -literal -offset indent", *map(esc, dedent(lines)), ".Ed"]


def prose(paragraphs):
    """Paragraphs of text; what is indented by four columns stays as it is."""
    out = []
    for lines in paragraphs:
        shown = all(s.startswith("    ") or not s for s in lines)
        if shown:
            out += literal(lines)
            continue
        if out:
            out.append(".Pp")
        # A sentence begins on a line of its own.
        text = re.sub(r"(?<=[.:;]) +(?=[A-Z$])", "\n", " ".join(lines))
        out += [esc(s) for s in text.split("\n")]
    return out


def tagged(lines):
    """Entries 'name  meaning', whose other lines are indented."""
    out = [".Bl -tag -width Ds"]
    for line in lines:
        m = re.match(r"(\S.*?)  +(.*)", line)
        if m:
            out += [f".It Li {esc(m[1])}", esc(m[2])]
        elif len(out) > 1:
            out.append(esc(line.strip()))
        else:
            raise Bad("no name and meaning: " + line)
    return out + [".El"]


def example(path):
    """Paragraphs of an example."""
    out = [[]]
    for line in path.read_text().rstrip("\n").split("\n"):
        shown = line.startswith("    ")
        was = bool(out[-1]) and out[-1][0].startswith("    ")
        if not line and not (was and out[-1]):
            out.append([])
        elif not line or shown == was:
            out[-1].append(line)
        else:
            out.append([line])
    for p in out:
        while p and not p[-1]:
            p.pop()
    return [p for p in out if p]


def page(path):
    h = Header(path)
    out = ['.\\" Made by tools/toolkit-man.py.',
           f".Dd {DATE}", f".Dt DTRACE-{h.name.upper()} 1", ".Os",
           ".Sh NAME", f".Nm dtrace-{h.name}", f".Nd {esc(h.what)}",
           ".Sh SYNOPSIS", *literal(h.field("Usage")),
           ".Sh DESCRIPTION", *prose(h.about)]
    for field, title in (("Args", "ARGUMENTS"), ("Options", "OPTIONS")):
        if h.field(field):
            out += [".Sh " + title, *tagged(h.field(field))]
    out += [".Sh REQUIREMENTS", *prose([h.field("Needs")]),
            ".Sh EXAMPLES", *prose(example(
                Path(path).parent / "examples" / (h.name + ".txt"))),
            ".Sh SEE ALSO", ".Xr dtrace 1 ,"]
    names = sorted(["dtrace-run"] + ["dtrace-" + n for n in h.see()])
    out += [f".Xr {n} 1 ," for n in names[:-1]] + [f".Xr {names[-1]} 1"]
    return "\n".join(out) + "\n"


def main():
    folder = Path(sys.argv[1])
    for path in sys.argv[2:]:
        try:
            text = page(path)
        except (Bad, OSError) as e:
            sys.exit(f"{path}: {e}")
        (folder / f"dtrace-{Path(path).stem}.1").write_text(text)


if __name__ == "__main__":
    main()
