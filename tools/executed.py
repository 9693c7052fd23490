# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""executed - which lines of the sources each test executes, for tools/mutate.

A build by tools/executed-cc notes the blocks that its programs execute, in a
directory that the environment names (tools/executed.c).  Blocks become lines by
what the compiler says for debuggers.  What is put into other processes and into
the kernel is not noted, nor are programs of a test without that environment."""
import bisect
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

SHOWN = re.compile(r"^(?:CU: )?(\S*\.[ch]):$|^\S+\.[ch] +(\d+) +(0x[0-9a-f]+)")


def readelf(module, *what):
    return subprocess.run(["readelf", "-W", *what, module], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          errors="replace").stdout


class Module:
    """A program or library: where its blocks begin, and the lines there."""

    def __init__(self, path):
        self.path, self.starts, self.rows = path, [], []
        called = re.search(r"^ *\d+: ([0-9a-f]+) .*__sanitizer_cov_trace_pc$",
                           readelf(path, "-s"), re.M)
        text = re.search(r" \.text +PROGBITS +(\w+) (\w+) (\w+)",
                         readelf(path, "-S"))
        if called and text:
            self.find_blocks(int(called[1], 16),
                             *(int(x, 16) for x in text.groups()))
            self.find_rows()

    def find_blocks(self, called, addr, offset, size):
        with open(self.path, "rb") as f:
            f.seek(offset)
            code = f.read(size)
        for m in re.finditer(rb"\xe8", code):
            at = m.start()
            to = int.from_bytes(code[at + 1:at + 5], "little", signed=True)
            if addr + at + 5 + to == called:
                self.starts.append(addr + at)

    def find_rows(self):
        """Rows of the sources, (address, path below the tree, line)."""
        file = ""
        out = readelf(self.path, "--debug-dump=decodedline")
        for m in map(SHOWN.match, out.splitlines()):
            if m and m[1]:
                at = m[1].find("src/")
                file = m[1][at:] if at >= 0 and "/test/" not in m[1] else ""
            elif m and file:
                self.rows.append((int(m[3], 16), file, int(m[2])))
        self.rows.sort()

    def lines(self, noted):
        """(path, line) of all blocks that are noted."""
        found = set()
        for m in re.finditer(rb"\x01", noted):
            i = bisect.bisect_left(self.starts, m.start() - 5)
            if i == len(self.starts) or self.starts[i] != m.start() - 5:
                continue
            end = self.starts[i + 1:i + 2] or [self.starts[i] + 64]
            first = bisect.bisect_right(self.rows, (self.starts[i], "~")) - 1
            if first >= 0:  # and what else is said of that address
                first = bisect.bisect_left(self.rows, self.rows[first][:1])
            last = bisect.bisect_left(self.rows, (end[0],))
            found.update(r[1:] for r in self.rows[max(first, 0):last])
        return found


class Executed:
    """What is known of the tests, of a tree or of several; kept in a folder for
    the next time, as long as the sources (`version`) are the same."""

    def __init__(self, folder, version, build):
        self.file, self.dir = folder / "executed.json", build / "executed.d"
        self.version = version
        self.tests = {}  # by name: [seconds, {path: lines}, what failed]
        self.code = {}  # by path: lines that have code
        self.modules = {}
        if self.file.exists():
            old = json.loads(self.file.read_text())
            if old["version"] == version:
                self.tests = old["tests"]
                self.code = {p: set(l) for p, l in old["code"].items()}

    def keep(self, name, test, code):
        """Keep what learn() has returned, of this tree or another."""
        self.tests[name] = test
        for path, lines in code.items():
            self.code.setdefault(path, set()).update(lines)
        self.file.write_text(json.dumps({
            "version": self.version, "tests": self.tests,
            "code": {p: sorted(l) for p, l in self.code.items()}}))

    def module(self, path):
        if path not in self.modules:
            m = self.modules[path] = Module(path)
            for _, file, line in m.rows:
                self.code.setdefault(file, set()).add(line)
        return self.modules[path]

    def learn(self, test):
        """Run a test, test() says what failed; what is known of it then, and
        the lines that have code."""
        shutil.rmtree(self.dir, ignore_errors=True)
        self.dir.mkdir()
        os.environ["EXECUTED"] = str(self.dir)
        begin = time.monotonic()
        try:
            bad = test()
        finally:
            del os.environ["EXECUTED"]
        took, lines = time.monotonic() - begin, {}
        for note in self.dir.iterdir():
            path = note.name.replace("!", "/")
            if os.path.exists(path):
                for file, line in self.module(path).lines(note.read_bytes()):
                    lines.setdefault(file, set()).add(line)
        return [took, {f: sorted(l) for f, l in lines.items()}, bad], self.code

    def by(self, path, line):
        """The tests that execute a line, or one that it goes on from, the
        quickest first: (seconds, name)."""
        code = self.code.get(path, ())
        while line > 0 and line not in code:
            line -= 1
        return sorted((t[0], n) for n, t in self.tests.items()
                      if line in t[1].get(path, ()))
