# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch processes begin and end."""
from toolkit import tool


@tool("execsnoop", "bpf")
def execsnoop(t):
    """Those of a tree, with arguments and errors."""
    r = t.run("failed", "-c", t.shell(
        "/bin/echo one 'two three'\n(/bin/true; exec /bin/echo four)\n"
        "/nowhere/at-all\ntrue\n"))
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
