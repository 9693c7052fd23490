# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools for any probe, and for functions of the kernel."""
import re

from toolkit import tool

DD = "dd if=/dev/zero of=/dev/null bs=512 count=1234 status=none"


def buckets(r):
    return {int(v): int(n) for v, n in
            re.findall(r"^ +(-?\d+) \|@* +(\d+) *$", r.out, re.M) if n != "0"}


@tool("argdist", "bpf")
def argdist(t):
    r = t.run("syscall::write:return", "arg1", "-c", DD)
    assert buckets(r) == {512: 1234} and "dd:" in r.out, r.out


@tool("argdist", "ptrace")
def argdist_user(t):
    r = t.run("syscall::write:return", "arg1", "-c", DD, user=True)
    assert buckets(r) == {512: 1234}, r.out


@tool("argdist", "ptrace")
def argdist_of_function(t):
    """$target is that of the tool, not of who types it."""
    r = t.run("pid$target:libc.so.6:write:entry", "arg2", "-c", DD, user=True)
    assert buckets(r) == {512: 1234}, r.out
    r = t.run("pid$target:libc.so.6:write:entry", "arg2", status=1, quiet=False)
    assert "there is no process of -c or -p" in r.err, r.err


@tool("argdist", "bpf")
def argdist_negative(t):
    """Results are signed."""
    r = t.run("syscall::close:return", "arg1", "-c", t.python(
        "import os\nfor i in range(3):\n"
        "    try: os.close(999)\n    except OSError: pass\n"))
    assert buckets(r)[-1] == 3, r.out


@tool("stackcount", "bpf")
def stackcount(t):
    r = t.run("syscall::write:entry", "-c", DD)
    found = re.findall(r"^  dd\n((?: .*\n|\n)*?) +(\d+)$", r.out, re.M)
    assert len(found) == 1 and found[0][1] == "1234", r.out
    assert "libc.so.6`write" in found[0][0] and "vmlinux`" in found[0][0], \
        r.out


def dd_writes(f):
    f.args = ("vfs_write",)
    return f


@tool("funccount", "bpf", "kprobe")
@dd_writes
def funccount(t):
    r = t.run("vfs_write*", "-c", DD)
    n = {x["FUNCTION"]: int(x["CALLS"]) for x in r.table("FUNCTION")}
    assert n["vfs_write"] == 1234, r.out


@tool("funccount", "bpf", "kprobe")
@dd_writes
def funccount_module(t):
    r = t.run("vfs_write", "vmlinux", "-c", DD)
    assert {x["FUNCTION"]: x["CALLS"] for x in r.table("FUNCTION")} == \
        {"vfs_write": "1234"}, r.out


@tool("funclatency", "bpf", "kprobe")
@dd_writes
def funclatency(t):
    r = t.run("vfs_write", "-c", DD)
    n = buckets(r)
    assert "vfs_write, nanoseconds:" in r.out and sum(n.values()) == 1234, \
        r.out
    assert min(n) > 0, r.out
