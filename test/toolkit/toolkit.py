# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""toolkit.py - what the tests of the tools share.

    @tool("opensnoop", "bpf")
    def opensnoop(t):
        r = t.run("-c", t.python("open('/etc/passwd')"))
        assert ["/etc/passwd"] == [row["PATH"] for row in r.table()]

A case is a function of a Tool; the words behind the name are what it needs, of
tools/capabilities.py.  A tool may have several cases.  All that a case starts is
ended after it.
"""
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tools"))
import capabilities

SLOW = float(os.environ.get("DTRACE_SLOW", "1"))
NOBODY = 65534
cases = []


class Skip(Exception):
    """A case cannot be tried here, and why."""


def tool(name, *needs):
    def add(f):
        cases.append((name, needs, f))
        return f
    return add


class Result:
    def __init__(self, out, err, status):
        self.out, self.err, self.status = out, err, status

    def table(self, first=None):
        """Rows below the line of headings (the one that begins with the word
        `first`, or the first line), as {heading: text}, up to the next line of
        other headings.  The last column takes what is left of its line; lines
        that have not all columns are left out: empty ones, as one is printed
        where a run is interrupted, and dates."""
        lines = self.out.lstrip("\n").split("\n")
        if first is not None:
            lines = lines[next(i for i, s in enumerate(lines)
                               if s.split()[:1] == [first]):]
        heads = lines[0].split()
        rows = []
        for line in lines[1:]:
            words = line.split(None, len(heads) - 1)
            if line.split() == heads:
                continue
            if len(words) > 1 and all(re.match(r"[A-Z(]+$", w)
                                      for w in line.split()):
                break
            if len(words) == len(heads):
                rows.append(dict(zip(heads, words)))
        return rows

    def histogram(self):
        """{bucket: count} of the one histogram in the output."""
        assert self.out.count(" Distribution ") == 1, self.out
        return {int(v): int(n) for v, n in
                re.findall(r"^ +[<>]?=? *(-?\d+) \|@* +(\d+) *$", self.out,
                           re.M)}


class Tool:
    """A tool under test."""
    def __init__(self, dtrace, name):
        self.dtrace, self.name = dtrace, name
        self.tmp = Path(tempfile.mkdtemp(prefix="dt-toolkit-"))
        self.tmp.chmod(0o755)
        self.started = []
        self.n = 0

    def command(self, args, user):
        argv = [self.dtrace, "run", self.name, *map(str, args)]
        if user and os.geteuid() == 0:
            return ["setpriv", f"--reuid={NOBODY}", "--clear-groups", *argv]
        return argv

    def run(self, *args, user=False, status=0, quiet=True, timeout=300):
        """Run the tool to its end; user: without privilege.  With quiet nothing
        but the command of -c may write to the standard error."""
        p = subprocess.run(self.command(args, user), text=True,
                           errors="surrogateescape",
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           stdin=subprocess.DEVNULL, timeout=timeout * SLOW)
        assert p.returncode == status, \
            f"status {p.returncode}, not {status}: {p.stderr[:2000]}"
        assert not quiet or "dtrace: " not in p.stderr, p.stderr[:2000]
        return Result(p.stdout, p.stderr, p.returncode)

    def start(self, *args, user=False):
        """Begin, and return when it traces."""
        p = subprocess.Popen(
            self.command([*args, "-xargref", "-n",
                          'dtrace:::BEGIN { printf("it traces\\n"); }'],
                         user), text=True, errors="surrogateescape",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL)
        self.started.append(p)
        self.before = ""
        for line in p.stdout:
            if line == "it traces\n":
                return p
            self.before += line
        raise AssertionError("it does not trace: " + p.stderr.read())

    def stop(self, p, quiet=True):
        """Interrupt what start() began; its output."""
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=300 * SLOW)
        assert p.returncode == 0, f"status {p.returncode}: {err[:2000]}"
        assert not quiet or "dtrace: " not in err, err[:2000]
        return Result(self.before + out, err, 0)

    def spawn(self, *argv, **kw):
        """A process that is ended after the case."""
        p = subprocess.Popen([str(a) for a in argv], text=True,
                             stdout=subprocess.PIPE,
                             stdin=subprocess.PIPE, **kw)
        self.started.append(p)
        return p

    def file(self, name, text="", mode=0o644):
        path = self.tmp / name
        path.write_text(text)
        path.chmod(mode)
        return path

    def python(self, text):
        """The command that runs a program in Python."""
        self.n += 1
        python = shutil.which("python3", path=os.defpath)
        if python is None:
            raise Skip("no python3 for all users")
        return "%s -IS %s" % (python, self.file(f"work{self.n}.py", text))

    def shell(self, text):
        self.n += 1
        return "/bin/sh %s" % self.file(f"work{self.n}.sh", text)

    def compile(self, text, *flags):
        """The path of a compiled program in C."""
        if shutil.which("gcc") is None:
            raise Skip("no gcc")
        self.n += 1
        src = self.file(f"work{self.n}.c", text)
        out = self.tmp / f"work{self.n}"
        subprocess.run(["gcc", "-O1", "-g", "-o", str(out), str(src), *flags],
                       check=True)
        return out

    def wait_for(self, cond, what, seconds=300):
        end = time.monotonic() + seconds * SLOW
        while time.monotonic() < end:
            if cond():
                return
            time.sleep(0.05)
        raise AssertionError("no " + what)

    def kernel(self, *version):
        """What is tried is not there before this kernel."""
        if tuple(map(int, re.findall(r"\d+", os.uname().release)[:2])) < \
                version:
            raise Skip("a kernel before %d.%d" % version)

    def close(self):
        for p in self.started:
            if p.poll() is None:
                p.kill()
            p.communicate()
        shutil.rmtree(self.tmp, ignore_errors=True)


def sh(text):
    """A command that works, or the case fails."""
    subprocess.run(text, shell=True, check=True, stdout=subprocess.DEVNULL)


def need(*words):
    why = capabilities.missing(*words)
    if why:
        raise Skip(why)


def quote(*argv):
    return " ".join(shlex.quote(str(a)) for a in argv)
