# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dtrace run itself: lists, help, names that nobody knows, directories."""
import os
import re
import shutil
import subprocess

from toolkit import ROOT, Skip, tool


def plain(t, *args, **kw):
    return subprocess.run([t.dtrace, "run", *args], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=300, **kw)


@tool("run")
def list_has_all(t):
    r = plain(t, "-l")
    names = [line.split()[0] for line in r.stdout.splitlines()]
    assert r.returncode == 0 and r.stderr == "", r
    assert names == sorted(p.stem for p in (ROOT / "toolkit").glob("*.d")), r
    for line in r.stdout.splitlines():
        assert re.match(r"\S+ +(user|root|kprobes) +\S", line), line


@tool("run")
def help_is_the_header(t):
    for args in (("-h", "syscount"), ("syscount", "-h"),
                 ("syscount", "--help")):
        r = plain(t, *args)
        assert r.returncode == 0 and r.stderr == "", r
        assert r.stdout.startswith("syscount - system calls"), r
        assert "\nUsage: dtrace run syscount" in r.stdout, r


@tool("run")
def names_that_nobody_knows(t):
    r = plain(t, "opnsnoop")
    assert (r.returncode, r.stderr) == (1, (
        "dtrace: no tool is named opnsnoop (did you mean opensnoop?); "
        "'dtrace run -l' lists them\n")), r
    for name in ("../toolkit/syscount", "", "wholly-other"):
        r = plain(t, name)
        assert r.returncode == 1 and r.stderr == (
            f"dtrace: no tool is named {name}; 'dtrace run -l' lists them\n"), r


@tool("run")
def bad_usage(t):
    for args in ((), ("-x",), ("-l", "more"), ("-h", "a", "b")):
        r = plain(t, *args)
        assert r.returncode == 2 and r.stderr.startswith("Usage: "), r
    r = plain(t, "-h")
    assert r.returncode == 0 and r.stdout.startswith("Usage: "), r
    r = subprocess.run([t.dtrace, "-q", "run", "syscount"], text=True,
                       stderr=subprocess.PIPE)
    assert r.returncode == 2 and "dtrace run syscount)" in r.stderr, r


@tool("run")
def arguments_that_are_wrong(t):
    for said, *args in (
            ("argument 1 is call or process, not bogus", "syscount", "bogus"),
            ("argument 2 is missing: the function", "usertime", "-c", "true",
             "a.out"),
            ("it looks at programs that run already, -c is not for it",
             "pgquery", "-c", "true"),
            ("argument 1 is a number, not abc", "lockhold", "-c", "true", "abc"),
            ("argument 2 is failed, not all", "opensnoop", "", "all"),
            ("it has 1 argument, not 2", "execsnoop", "failed", "x"),
            ("it wants a process: -p PID, or -c CMD", "usertime", "a.out", "f")):
        r = plain(t, *args)
        assert r.returncode == 2 and r.stdout == "" and re.fullmatch(
            f"dtrace: run {args[0]}: {re.escape(said)}[^']* "
            f"\\('dtrace run -h {args[0]}' says .*\\)\n", r.stderr), r
    r = plain(t, "syscount", "5")
    assert r.returncode == 2 and r.stderr.endswith(
        "'dtrace run syscount call 5'\n"), r


@tool("run")
def directory_of_ones_own(t):
    """It comes first, and hides what is elsewhere."""
    t.file("syscount.d", "/*\n * syscount - another\n */\n"
           'BEGIN { printf("%s %d", $$1, $2); exit(3); }')
    t.file("mine.d", "#!/usr/bin/env -S dtrace -s\n"
           "/*\n * mine - a tool\n *\n * Needs: any user\n */\n"
           'BEGIN { trace(1); exit(0); }')
    env = dict(os.environ, DTRACE_TOOLKIT=str(t.tmp))
    r = plain(t, "-l", env=env)
    found = dict(line.split(None, 1) for line in r.stdout.splitlines())
    assert found["mine"] == "user     a tool", r
    assert found["syscount"] == "?        another", r
    assert "opensnoop" in found, r
    r = plain(t, "syscount", "-q", "one", "2", env=env)
    assert (r.returncode, r.stdout) == (3, "one 2\n"), r


@tool("run")
def directory_that_is_not_there(t):
    env = dict(os.environ, DTRACE_TOOLKIT="/nowhere")
    r = plain(t, "-l", env=env)
    assert r.returncode == 0 and "opensnoop" in r.stdout, r


@tool("run")
def full_disk(t):
    with open("/dev/full", "w") as full:
        p = subprocess.run([t.dtrace, "run", "-l"], stdout=full,
                           stderr=subprocess.PIPE, text=True)
    assert p.returncode == 1, p


@tool("run")
def no_toolkit(t):
    """A program that nothing lies beside, and none is installed."""
    alone = t.tmp / "dtrace"
    shutil.copy(t.dtrace, alone)
    r = subprocess.run([alone, "run", "-l"], text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if r.returncode == 0:
        raise Skip("a toolkit is installed")
    assert re.fullmatch(r"dtrace: no tools are in /\S+/dtrace/toolkit\n",
                        r.stderr), r
    again = subprocess.run([alone, "run", "opensnoop"], text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (again.returncode, again.stderr) == (1, r.stderr), again
