# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the objects of a build define and use, by source file.

For check-links, check-dead and check-statics; needs nm (binutils).  Objects
of tests and generated files are left out.
"""
import subprocess
import sys
from pathlib import Path


class Object:
    """One compiled file: its path in src/ and its symbols."""

    def __init__(self, source):
        self.source = source     # "lang/lex/lex.c"
        self.defined = set()     # seen by other objects
        self.static = set()      # functions that are not
        self.undefined = set()

    def add(self, kind, name):
        if kind == "U":
            self.undefined.add(name)
        elif kind == "t":
            self.static.add(name)
        elif kind.isupper() or kind in "wv":
            self.defined.add(name)


def source_of(build, path, root):
    """src/lang/lex/liblang_lex.a.p/lex.c.o -> lang/lex/lex.c, or None."""
    rel = path.relative_to(build / "src")
    target = rel.parts[-2]
    name = path.name[:-2] if path.name.endswith(".c.o") else None
    source = Path(*rel.parts[:-2]) / (name or "")
    if name is None or target.startswith("test_"):
        return None
    return str(source) if (root / "src" / source).is_file() else None


def load(build, root):
    """Objects of BUILD whose source stands in ROOT/src, by source."""
    build, root = Path(build), Path(root)
    paths = {}
    for path in sorted((build / "src").rglob("*.c.o")):
        source = source_of(build, path, root)
        if source is not None:
            paths[str(path)] = Object(source)
    if not paths:
        sys.exit("%s: no objects: build it first" % build)
    text = subprocess.run(["nm", "-A", *paths], check=True,
                          capture_output=True, text=True).stdout
    for line in text.splitlines():
        path, _, rest = line.partition(".o:")
        words = rest.split()
        paths[path + ".o"].add(words[-2], words[-1])
    return {o.source: o for o in paths.values()}


def rooms(root):
    """tools/rooms.txt: room -> rooms it may use."""
    out = {}
    for line in (Path(root) / "tools" / "rooms.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            room, _, may = line.partition(":")
            out[room.strip()] = set(may.split())
    return out


def room_of(source, known):
    """The room of a file: the longest name that fits."""
    fits = [r for r in known if source.startswith(r + "/")]
    return max(fits, key=len) if fits else None
