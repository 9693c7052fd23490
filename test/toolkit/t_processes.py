# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch processes begin and end."""
from toolkit import SLOW, tool


@tool("execsnoop", "bpf")
def execsnoop(t):
    """Those of a tree, with arguments and errors."""
    execsnoop_tree(t, False)


@tool("execsnoop")
def execsnoop_user(t):
    execsnoop_tree(t, True)


def execsnoop_tree(t, user):
    r = t.run("failed", "-c", t.shell(
        "/bin/echo one 'two three'\n(/bin/true; exec /bin/echo four)\n"
        "/nowhere/at-all\ntrue\n"), user=user)
    got = [(x["ERR"], x["ARGS"]) for x in r.table("TIME(s)")]
    assert got == [("0", "/bin/echo one two three"), ("0", "/bin/true"),
                   ("0", "/bin/echo four"), ("2", "/nowhere/at-all")], r.out
    # The third is the subshell itself: the second's parent.
    rows = r.table("TIME(s)")
    assert rows[1]["PPID"] == rows[2]["PID"], r.out


@tool("execsnoop", "bpf")
def execsnoop_all(t):
    p = t.start()
    t.spawn("/bin/echo", t.tmp).wait()
    rows = t.stop(p).table("TIME(s)")
    assert [x["ERR"] for x in rows if str(t.tmp) in x["ARGS"]] == ["0"], rows


TREE = "(exit 3)\n/bin/sh -c 'kill -9 $$'\n/bin/true\n"


@tool("exitsnoop", "bpf")
def exitsnoop(t):
    r = t.run("-c", t.shell(TREE + "exit 4"))
    got = [x["END"] for x in r.table()]
    assert got == ["status 3", "signal 9", "status 0", "status 4"], r.out
    rows = r.table()
    assert {x["PPID"] for x in rows[:3]} == {rows[3]["PID"]}, r.out
    assert all(float(a["AGE(s)"]) <= float(rows[3]["AGE(s)"])
               for a in rows[:3]), r.out
    assert float(rows[3]["AGE(s)"]) < 60 * SLOW, r.out


@tool("exitsnoop", "bpf")
def exitsnoop_failed(t):
    """Of a process with threads there is one line, and of those that end well
    none."""
    p = t.start("failed")
    work = t.spawn("python3", "-IS", "-c", "import threading, os\n"
                   "for i in range(3):\n"
                   "    threading.Thread(target=lambda: None).start()\n"
                   "os._exit(9)")
    good = t.spawn("/bin/true")
    work.wait(), good.wait()
    rows = t.stop(p).table()
    assert [x["END"] for x in rows if x["PID"] == str(work.pid)] == \
        ["status 9"], rows
    assert not [x for x in rows if x["PID"] == str(good.pid)], rows


@tool("forksnoop", "bpf")
def forksnoop(t):
    r = t.run("-c", t.python("""
import os, threading
def child(f=None):
    pid = os.fork()
    if pid == 0:
        if f:
            f()
        os._exit(0)
    os.waitpid(pid, 0)
for i in range(4):
    child()
child(child)
t = threading.Thread(target=lambda: None)
t.start(), t.join()
"""))
    rows = [x for x in r.table("TIME(s)") if "CHILD" in x]
    main = rows[0]["PID"]
    assert [x["PID"] for x in rows] == [main] * 5 + [rows[4]["CHILD"]], r.out
    made = {x["PID"]: x["CHILDREN"] for x in r.table("PID")}
    assert made == {main: "5", rows[4]["CHILD"]: "1"}, r.out


@tool("threadsnoop", "bpf")
def threadsnoop(t):
    r = t.run("-c", t.python("""
import threading, time
for i in range(3):
    t = threading.Thread(target=time.sleep, args=(0.1,))
    t.start(), t.join()
"""))
    rows = r.table()
    new = [x["TID"] for x in rows if x["EVENT"] == "new"]
    ends = {x["TID"]: x["EVENT"].split() for x in rows if x["EVENT"] != "new"}
    assert len(set(new)) == 3 and set(ends) == set(new), r.out
    for words in ends.values():
        assert words[0] == "lived" and int(words[1]) >= 100, r.out
        assert int(words[3]) < int(words[1]), r.out


@tool("signals", "bpf")
def signals(t):
    r = t.run("-c", t.python("""
import os, signal, time
signal.signal(signal.SIGUSR2, lambda *a: None)
for i in range(23):
    os.kill(os.getpid(), signal.SIGUSR2)
pid = os.fork()
if pid == 0:
    time.sleep(60)
os.kill(pid, signal.SIGTERM)
os.waitpid(pid, 0)
"""))
    lines = [x.split() for x in r.out.splitlines()]
    rows = [x for x in lines if x and x[0].isdigit()]
    usr2 = [x for x in rows if x[2] == "USR2"]
    assert len(usr2) == 1 and usr2[0][0] == usr2[0][4] and \
        usr2[0][3] == "12" and usr2[0][6] == "23", r.out
    me = usr2[0][0]
    term = [x for x in rows if x[2] == "TERM"]
    assert len(term) == 1 and term[0][0] == me and term[0][6] == "1", r.out
    assert [x for x in rows if x[2] == "CHLD" and x[0] == term[0][4] and
            x[4] == me], r.out


@tool("capable", "bpf")
def capable(t):
    t.kernel(6, 14)
    f = t.file("of-another")
    r = t.run("-c", t.python(f"""
import os
os.chown({str(f)!r}, 1, 1)
os.setresuid(65534, 65534, 65534)
try:
    os.chown({str(f)!r}, 2, 2)
except OSError:
    pass
"""))
    chown = [(x["UID"], x["CAP"], x["ANSWER"]) for x in r.table()
             if x["NAME"] == "CHOWN"]
    assert chown[0] == ("0", "0", "granted") and \
        chown[-1] == ("65534", "0", "denied"), r.out
    assert ("SETUID", "granted") in [(x["NAME"], x["ANSWER"])
                                     for x in r.table()], r.out
    r = t.run("denied", "-c", "/bin/true")
    assert all(x["ANSWER"] == "denied" for x in r.table()), r.out
