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
    t.spawn("dd", "if=/dev/zero", "of=/dev/null", "bs=1")
    n = {x["CALL"]: x["COUNT"] for x in t.run("call", "1").table("CALL")}
    assert int(n["read"]) > 100, n


@tool("statsnoop", "bpf")
def statsnoop(t):
    asked(t, False)


@tool("statsnoop", "ptrace")
def statsnoop_user(t):
    asked(t, True)


def asked(t, user):
    t.file("there")
    d = str(t.tmp)
    r = t.run("-c", t.python(f"""
import os
os.stat({d!r} + "/there")
os.lstat({d!r} + "/there")
os.access({d!r} + "/there", os.R_OK)
for f in os.stat, os.readlink:
    try:
        f({d!r} + "/gone")
    except OSError:
        pass
os.fstat(0)
"""), user=user)
    got = [(x["PATH"][len(d):], x["ERR"]) for x in r.table()
           if x["PATH"].startswith(d) and "work" not in x["PATH"] and
           x["PATH"] != d]
    assert got == [("/there", "0")] * 3 + [("/gone", "2")] * 2, r.out


@tool("killsnoop", "bpf")
def killsnoop(t):
    kills(t, False)


@tool("killsnoop", "ptrace")
def killsnoop_user(t):
    kills(t, True)


def kills(t, user):
    r = t.run("-c", t.python("""
import os, signal, threading
signal.signal(signal.SIGUSR1, lambda *a: None)
os.kill(os.getpid(), signal.SIGUSR1)
os.kill(os.getpid(), 0)
try:
    os.kill(4194303, signal.SIGTERM)
except OSError:
    pass
signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
fd = os.pidfd_open(os.getpid())
signal.pidfd_send_signal(fd, 0)
print("pid", os.getpid(), fd)
"""), user=user)
    pid, fd = [x.split()[1:] for x in r.out.splitlines()
               if x.startswith("pid ")][0]
    out = "\n".join(x for x in r.out.splitlines() if not x.startswith("pid"))
    rows = [x.split() for x in out.splitlines() if x.split()[:1] == [pid]]
    got = [(x[2], *x[3:]) for x in rows]
    assert got == [("10", pid, "0", "kill"), ("0", pid, "0", "kill"),
                   ("15", "4194303", "3", "kill"), ("10", pid, "0", "tgkill"),
                   ("0", "fd", fd, "0", "pidfd_send_signal")], r.out


@tool("procsystime", "bpf")
def procsystime(t):
    slept(t, False)


@tool("procsystime", "ptrace")
def procsystime_user(t):
    slept(t, True)


def slept(t, user):
    """Two threads that sleep three times each (Python's own sleep() sleeps until
    a moment that may have come nearer by then)."""
    r = t.run("-c", t.python("""
import ctypes, threading
libc = ctypes.CDLL(None)
def sleeps():
    for i in range(3):
        libc.usleep(50000)
t = threading.Thread(target=sleeps)
t.start()
sleeps()
t.join()
"""), user=user)
    x = {x["CALL"]: x for x in r.table("CALL")}["clock_nanosleep"]
    assert x["COUNT"] == "6", r.out
    all_, mean, most = (int(x[k]) for k in ("TIME(us)", "MEAN(us)",
                                            "MOST(us)"))
    assert all_ >= 300000 and 50000 <= mean <= most <= all_, r.out
    assert abs(mean * 6 - all_) < 10, r.out


@tool("errinfo", "bpf")
def errinfo(t):
    errors(t, False)


@tool("errinfo", "ptrace")
def errinfo_user(t):
    errors(t, True)


def errors(t, user):
    r = t.run("-c", t.python(f"""
import os
for i in range(37):
    try:
        os.rmdir({str(t.tmp)!r} + "/gone")
    except OSError:
        pass
for i in range(5):
    try:
        os.close(999)
    except OSError:
        pass
"""), user=user)
    got = {(x["CALL"], x["ERR"]): (x["COUNT"], x["NAME"])
           for x in r.table("COMMAND")}
    assert got["rmdir", "2"] == ("37", "ENOENT no such file"), r.out
    assert got["close", "9"] == ("5", "EBADF no such descriptor"), r.out


@tool("dtruss", "bpf")
def dtruss(t):
    calls(t, False)


@tool("dtruss", "ptrace")
def dtruss_user(t):
    calls(t, True)


def calls(t, user):
    d = str(t.tmp)
    t.file("there", "text of a file\nthat is longer than thirty-two bytes\n")
    r = t.run("-c", t.python(f"""
import mmap, os
def tried(call, *args):
    try: return call(*args)
    except OSError: pass
fd = os.open({d!r} + "/there", os.O_RDONLY)
os.read(fd, 100)
tried(os.write, fd, b"cannot")
tried(os.rmdir, {d!r} + "/gone")
os.pipe()
os.getppid()
mmap.mmap(-1, 12288).close()
tried(os.rename, {d!r} + "/a", {d!r} + "/b")
tried(os.close, 77)
os._exit(7)
"""), user=user)
    lines = [x.split(None, 2) for x in r.out.splitlines()]
    got = [x[2] for x in lines if len(x) == 3]
    at = next(i for i, x in enumerate(got) if d + "/there" in x)
    import re
    m = re.fullmatch(r'openat\(-100, "%s/there", 0x80000, 0x0\) = (\d+) error 0'
                     % re.escape(d), got[at])
    assert m, got[at]
    fd = m[1]
    assert got[at + 1] == (r'read(%s, "text of a file\nthat is longer th", '
                           '100) = 52 error 0' % fd), got[at:]
    # Each with as many arguments as the call has, descriptors in decimal, and
    # addresses as addresses.
    at += 2
    for want in (rf"write\({fd}, 0x\w+, 0x6\) = -1 error 9",
                 rf'rmdir\("{re.escape(d)}/gone"\) = -1 error 2',
                 r"pipe2\(0x\w+, 0x80000\) = 0 error 0",
                 r"getppid\(\) = \d+ error 0",
                 r"mmap\(0x0, 0x3000, 0x3, 0x21, -1, 0x0\) = 0x7\w{11} error 0",
                 r"munmap\(0x7\w{11}, 0x3000\) = 0 error 0",
                 r'rename\("%s/a", "%s/b"\) = -1 error 2' % ((re.escape(d),) * 2),
                 r"close\(77\) = -1 error 9", r"exit_group\(7\)"):
        assert re.fullmatch(want, got[at]), (want, got[at:])
        at += 1
    assert at == len(got), got[at:]


@tool("dtruss", "bpf")
def dtruss_by_name(t):
    p = t.start("mkdir", "mkdir")
    subprocess.run(["mkdir", t.tmp / "made"], check=True)
    r = t.stop(p)
    assert f'mkdir("{t.tmp}/made", ' in r.out, r.out
    assert "openat" not in r.out, r.out


@tool("dtruss", "bpf")
def dtruss_needs_a_process(t):
    r = t.run(status=2)
    assert "needs -p, -c" in r.out, r.out


@tool("mountsnoop", "bpf")
def mountsnoop(t):
    d = t.tmp / "at"
    d.mkdir()
    r = t.run("-c", t.python(f"""
import ctypes, os
libc = ctypes.CDLL(None)
assert libc.unshare(0x20000) == 0
libc.mount(None, b"/", None, 0x44000, None)
assert libc.mount(b"of-a-test", {str(d).encode()!r}, b"tmpfs", 0, None) == 0
assert libc.umount2({str(d).encode()!r}, 0) == 0
assert libc.umount2({str(d).encode()!r}, 0) != 0
"""))
    got = [(x["ERR"], x["CALL"]) for x in r.table()]
    assert got == [("0", "mount -t none none /"),
                   ("0", f"mount -t tmpfs of-a-test {d}"),
                   ("0", f"umount {d}"), ("22", f"umount {d}")], r.out


@tool("setuids", "bpf")
def setuids(t):
    r = t.run("-c", t.python("""
import os
os.setgroups([1, 2, 3])
os.setresgid(-1, 100, -1)
os.setresuid(65534, 65534, 65534)
try:
    os.setuid(0)
except OSError:
    pass
"""))
    got = [(x["UID"], x["ERR"], x["CALL"]) for x in r.table()]
    assert got == [("0", "0", "setgroups(3 of them)"),
                   ("0", "0", "setresgid(-1, 100, -1)"),
                   ("0", "0", "setresuid(65534, 65534, 65534)"),
                   ("65534", "1", "setuid(0)")], r.out


@tool("setuids", "ptrace")
def setuids_user(t):
    r = t.run("-c", t.python("import os\nos.setuid(os.getuid())"), user=True)
    assert [x["ERR"] for x in r.table()] == ["0"], r.out


@tool("soconnect", "bpf")
def soconnect(t):
    connects(t, False)


@tool("soconnect", "ptrace")
def soconnect_user(t):
    connects(t, True)


def connects(t, user):
    r = t.run("-c", t.python(f"""
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print("port", s.getsockname()[1])
tcp, other = socket.AF_INET, socket.AF_UNIX
for family, to in ((tcp, s.getsockname()), (tcp, ("127.0.0.1", 1)),
                   (socket.AF_INET6, ("::1", 513)), (other, "/no/where"),
                   (other, "\\0no-file-{t.tmp.name}")):
    try:
        socket.socket(family).connect(to)
    except OSError:
        pass
"""), user=user)
    port = r.out.split("port ")[1].split()[0]
    got = [(x["ERR"], x["FAMILY"], x["ADDRESS"])
           for x in r.table("PID")]
    assert got == [("0", "inet", f"127.0.0.1:{port}"),
                   ("111", "inet", "127.0.0.1:1"),
                   ("111", "inet6", "[::1]:513"), ("2", "local", "/no/where"),
                   ("111", "local", f"@no-file-{t.tmp.name}")], r.out


@tool("opensnoop", "bpf")
def hostile_names(t):
    """What a program calls itself and its files does nothing to a terminal."""
    r = t.run("-c", t.python("""
import ctypes
ctypes.CDLL(None).prctl(15, b"\\x1b[2Jname")
try:
    open("/no\\x1b]0;title\\x07\\nwhere")
except OSError:
    pass
"""))
    assert r"\033[2Jname" in r.out and r"/no\033]0;title\a\nwhere" in r.out, \
        r.out
    assert "\x1b" not in r.out, r.out
