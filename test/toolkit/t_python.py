# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch programs in Python."""
import os
import re
import shutil
from pathlib import Path

from toolkit import Skip, tool

WORK = """
import gc, os
class Odd(Exception):
    pass
def thrower():
    raise Odd()
def called(n):
    return n
def lister():
    for i in range(5):
        os.getppid()
gc.collect()
for i in range(123):
    called(i)
for i in range(7):
    try:
        thrower()
    except Odd:
        pass
for i in range(23):
    gc.collect(1)
lister()
import outer_one
try:
    import nowhere_at_all
except ImportError:
    pass
"""


def probes(t):
    """The work, if Python has its probes."""
    python = shutil.which("python3", path=os.defpath)
    if python is None or b"stapsdt\0" not in Path(python).read_bytes():
        raise Skip("no python3 with probes")
    t.file("inner_one.py")
    t.file("outer_one.py", "import inner_one\n")
    # With -I a script's own directory is not searched.
    return t.python(f"import sys; sys.path.insert(0, {str(t.tmp)!r})\n" +
                    "sys.dont_write_bytecode = True\n" + WORK)


@tool("pycalls", "ptrace")
def pycalls(t):
    r = t.run("-c", probes(t), "0", "1000", user=True)
    got = {x["FUNCTION"]: (x["CALLS"], x["FILE"]) for x in r.table("CALLS")
           if str(t.tmp) in x["FILE"]}
    file = got["called"][1]
    assert got["called"][0] == "123" and file.startswith(str(t.tmp)), r.out
    assert got["thrower"] == ("7", file), r.out
    assert got["lister"] == ("1", file), r.out


FLOW = """
def leaf(n):
    return n
def again(n):
    for i in range(3):
        pass
    return leaf(0) if n == 0 else again(n - 1)
def pieces():
    yield 1
    yield 2
def thrower():
    raise ValueError
def outer():
    leaf(1)
    again(2)
    for i in pieces():
        pass
    try:
        thrower()
    except ValueError:
        pass
    [[x for x in range(2)] for y in range(2)]
    sorted([2, 1], key=leaf)
leaf(0)
outer()
leaf(0)
"""


@tool("pyflow", "ptrace")
def pyflow(t):
    """Loops are no calls, and calls of oneself are; each that begins returns."""
    probes(t)
    command = t.python(FLOW)
    r = t.run("-c", command, "outer", user=True)
    calls = re.findall(r"-> (\S+)", r.out)
    assert calls == ["outer", "leaf"] + ["again"] * 3 + \
        ["leaf", "pieces", "pieces", "thrower"] + ["<listcomp>"] * 3 + \
        ["leaf"] * 2, r.out
    deep = [line.index("-> again") for line in r.out.splitlines()
            if "-> again" in line]
    assert deep == [deep[0], deep[0] + 2, deep[0] + 4], r.out
    assert r.out.count("<- ") == len(calls), r.out
    took = int(re.search(r"<- outer (\d+) us", r.out)[1])
    assert took >= sum(map(int, re.findall(r"<- thrower (\d+) us", r.out)))
    r = t.run("-c", t.python("""
def down(n):
    return n if n == 0 else down(n - 1)
down(60)
"""), "down", user=True)
    at = [line.index("-> down") for line in r.out.splitlines()
          if "-> down" in line]
    assert len(at) == 61 and max(at) - at[0] == 80, r.out
    r = t.run("-c", command, user=True)
    assert r.out.count("-> leaf ") == 6, r.out
    assert r.out.count("-> ") == r.out.count("<- "), r.out


@tool("pygc", "ptrace")
def pygc(t):
    r = t.run("-c", probes(t), user=True)
    rows = {x["GENERATION"]: x for x in r.table("GENERATION")}
    # The interpreter may have made one or two by itself before.
    assert 23 <= int(rows["1"]["RUNS"]) <= 25, r.out
    assert int(rows["2"]["RUNS"]) >= 1, r.out
    assert int(rows["2"]["COLLECTED"]) > 0, r.out


@tool("gcsnoop", "ptrace")
def gcsnoop(t):
    r = t.run("-c", probes(t), user=True)
    rows = r.table("AT(ms)")
    assert {x["RUNTIME"] for x in rows} == {"python"}, r.out
    n = [x["WHAT"] for x in rows].count("generation 1")
    assert 23 <= n <= 25, r.out


@tool("pyexceptions", "ptrace")
def pyexceptions(t):
    r = t.run("-c", probes(t), "0", "500", user=True)
    got = {x["TYPE"]: x["RAISED"] for x in r.table("RAISED")}
    assert got["Odd"] == "7" and got["ModuleNotFoundError"] == "1", r.out
    assert "`thrower:" in r.out, r.out


@tool("pyimports", "ptrace")
def pyimports(t):
    r = t.run("-c", probes(t), user=True)
    lines = [line for line in r.out.splitlines()
             if "_one" in line or "nowhere" in line]
    assert [" ".join(line.split()[2:]) for line in lines] == \
        ["inner_one", "outer_one", "nowhere_at_all (not found)"], r.out
    inner, outer = (line.split() for line in lines[:2])
    assert lines[0].index("inner") == lines[1].index("outer") + 2, r.out
    assert int(outer[1]) >= int(inner[1]) + int(outer[0]) - 1, r.out


@tool("pysyscalls", "ptrace")
def pysyscalls(t):
    r = t.run("-c", probes(t), "0", "getppid", user=True)
    stacks = r.out.strip().split("\n\n")
    assert len(stacks) == 1 and stacks[0].split()[-1] == "5", r.out
    assert stacks[0].startswith("getppid\n"), r.out
    assert "`lister:" in r.out, r.out
