# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch system calls."""
import subprocess

from toolkit import need, quote, tool

OPENS = """
import ctypes, os, threading
d = %r
for i in range(3):
    os.close(os.open(d + "/there", os.O_RDONLY))
for name in ("/gone1", "/gone2"):
    try:
        os.open(d + name, os.O_RDONLY)
    except OSError:
        pass
def other():
    os.close(os.open(d + "/thread", os.O_CREAT | os.O_WRONLY))
t = threading.Thread(target=other)
t.start()
t.join()
ctypes.CDLL(None).open(ctypes.c_void_p(1), 0)
"""


def opens(t, user):
    t.file("there")
    t.tmp.chmod(0o777)
    d = str(t.tmp)
    r = t.run("-c", t.python(OPENS % d), user=user)
    rows = [x for x in r.table() if x["PATH"].startswith(d)]
    got = [(x["PATH"][len(d):], int(x["ERR"])) for x in rows
           if "work" not in x["PATH"]]
    assert got == [("/there", 0)] * 3 + [("/gone1", 2), ("/gone2", 2),
                                         ("/thread", 0)], r.out
    assert all((int(x["FD"]) >= 0) == (x["ERR"] == "0") for x in rows), r.out
    assert len({x["COMMAND"] for x in rows}) == 1, r.out
    assert [x["ERR"] for x in r.table() if x["PATH"] == "<bad address>"] == \
        ["14"], r.out


@tool("opensnoop", "bpf")
def opensnoop(t):
    opens(t, False)


@tool("opensnoop", "ptrace")
def opensnoop_user(t):
    opens(t, True)


@tool("opensnoop", "bpf")
def opensnoop_all(t):
    """Without a target: of all processes, those of a name that fail."""
    p = t.start("cat", "failed")
    for name in ("gone1", "gone2"):
        subprocess.run(["cat", t.tmp / name], stderr=subprocess.DEVNULL)
    subprocess.run(["head", t.tmp / "gone3"], stderr=subprocess.DEVNULL)
    rows = t.stop(p).table()
    assert {x["COMMAND"] for x in rows} == {"cat"}, rows
    assert {x["PATH"] for x in rows if str(t.tmp) in x["PATH"]} == \
        {f"{t.tmp}/gone1", f"{t.tmp}/gone2"}, rows
    assert all(int(x["ERR"]) > 0 for x in rows), rows


def counts(t, user):
    r = t.run("-c", quote("dd", "if=/dev/zero", "of=/dev/null", "bs=1",
                          "count=1234", "status=none"), user=user)
    n = {x["CALL"]: int(x["COUNT"]) for x in r.table("CALL")}
    assert n["write"] == 1234 and 1234 <= n["read"] < 1250, r.out


@tool("syscount", "bpf")
def syscount(t):
    counts(t, False)


@tool("syscount", "ptrace")
def syscount_user(t):
    counts(t, True)


@tool("syscount", "bpf")
def syscount_processes(t):
    p = t.start("process")
    work = t.spawn("dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=5000",
                   "status=none")
    work.wait()
    r = t.stop(p)
    n = {int(x["PID"]): x for x in r.table("PID")}
    assert n[work.pid]["COMMAND"] == "dd", r.out
    assert 10000 < int(n[work.pid]["COUNT"]) < 10200, r.out
    assert p.pid not in n, "it counts itself"


@tool("syscount", "bpf")
def syscount_ends_by_itself(t):
    assert t.run("call", "1").table("CALL")
