# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch files, and the devices below: on a file system of their own, in
a file that is a loop device."""
import contextlib
import os
import re
import shutil
import subprocess

from toolkit import Skip, tool


@contextlib.contextmanager
def device(t):
    """A mounted ext4 on a loop device: its name, where it is."""
    for program in ("mkfs.ext4", "losetup"):
        if shutil.which(program) is None:
            raise Skip("no " + program)
    img, mnt = t.tmp / "img", t.tmp / "mnt"
    mnt.mkdir()
    with open(img, "wb") as f:
        f.truncate(64 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0",
                    img], check=True)
    r = subprocess.run(["losetup", "--show", "-f", img], text=True,
                       stdout=subprocess.PIPE)
    if r.returncode != 0:
        raise Skip("no loop device")
    path = r.stdout.strip()
    try:
        subprocess.run(["mount", path, mnt], check=True)
        try:
            yield os.path.basename(path), mnt
        finally:
            subprocess.run(["umount", mnt])
    finally:
        subprocess.run(["losetup", "-d", path])


def direct(t, path, n, size):
    """A command that writes n blocks past the cache, one after the other."""
    return t.python(f"""
import mmap, os
fd = os.open({str(path)!r}, os.O_CREAT | os.O_WRONLY | os.O_DIRECT)
with mmap.mmap(-1, {size}) as page:
    for i in range({n}):
        os.pwrite(fd, page, i * {size})
""")


@tool("iosnoop", "bpf")
def iosnoop(t):
    with device(t) as (name, mnt):
        r = t.run(name, "-c", direct(t, mnt / "f", 20, 8192))
        rows = [x for x in r.table() if x["D"] == "W"]
        assert len(rows) == 20, r.out
        assert {(x["DEVICE"], x["BYTES"]) for x in rows} == {(name, "8192")}, \
            r.out
        assert len({x["BLOCK"] for x in rows}) == 20, r.out
        assert all(int(x["TOOK(us)"]) > 0 for x in rows), r.out
        assert "python3" in rows[0]["COMMAND"], r.out


@tool("iosnoop", "bpf")
def iosnoop_all(t):
    """Without a target: what is written later by the kernel, with its file."""
    with device(t) as (name, mnt):
        p = t.start(name)
        (mnt / "written").write_text("x" * 50000)
        os.sync()
        rows = t.stop(p).table()
        assert {x["DEVICE"] for x in rows} == {name}, rows
        n = sum(int(x["BYTES"]) for x in rows
                if x["FILE"].endswith(str(mnt / "written")))  # as the machine has it
        assert n == 53248, rows  # 13 pages


@tool("iotop", "bpf")
def iotop(t):
    with device(t) as (name, mnt):
        r = t.run("-c", direct(t, mnt / "f", 24, 4096))
        rows = [x for x in r.table("PID") if x["DEVICE"] == name and
                x["D"] == "W"]
        assert [(x["REQUESTS"], x["SIZE(KB)"]) for x in rows] == \
            [("24", "96")], r.out


@tool("biolatency", "bpf")
def biolatency(t):
    with device(t) as (name, mnt):
        r = t.run("-c", direct(t, mnt / "f", 24, 4096))
        assert f"{name} W, microseconds:" in r.out, r.out
        assert sum(written(r, name).values()) == 24, r.out


@tool("biosize", "bpf")
def biosize(t):
    with device(t) as (name, mnt):
        r = t.run("-c", direct(t, mnt / "f", 24, 16384))
        assert {k: n for k, n in written(r, name).items() if n} == \
            {16384: 24}, r.out


def written(r, name):
    """The histogram of what was written to a device."""
    text = re.search(rf"{name} W, .*?(?=\n\n|\Z)", r.out, re.S)[0]
    return {int(v): int(n) for v, n in
            re.findall(r"^ +(-?\d+) \|@* +(\d+) *$", text, re.M)}


MOVES = """
import os
fd = os.open(%r, os.O_RDWR | os.O_CREAT)
for i in range(12):
    os.write(fd, b"x" * 1024)
os.pwritev(fd, [b"y" * 1024, b"z" * 1024], 0)
os.lseek(fd, 0, 0)
for i in range(6):
    os.read(fd, 2048)
os.read(fd, 1)
r, w = os.pipe()
os.write(w, b"p" * 2048)
"""


@tool("filetop", "bpf")
def filetop(t):
    f = t.tmp / "moved"
    r = t.run("-c", t.python(MOVES % str(f)))
    row = {x["FILE"]: x for x in r.table("PID")}[str(f)]
    assert (row["READS"], row["READ(KB)"], row["WRITES"], row["WRITE(KB)"]) \
        == ("6", "12", "13", "14"), r.out
    assert "pipe:" not in r.out, r.out


@tool("filetop", "bpf")
def filetop_all(t):
    f = t.tmp / "moved"
    r = t.run("1", "all", "-c", t.python(
        MOVES % str(f) + "import time\ntime.sleep(2.2)\n"))
    rows = [x for x in r.table("PID") if x["FILE"] == "pipefs"]
    assert [x["WRITE(KB)"] for x in rows] == ["2"], r.out
    assert len(re.findall(r"^ +PID ", r.out, re.M)) >= 3, r.out


@tool("fileslower", "bpf")
def fileslower(t):
    f = t.tmp / "moved"
    work = t.python(MOVES % str(f) + "os.fsync(fd)\n")
    r = t.run("0", "-c", work)
    got = [(x[6], x[7]) for x in dated(r) if x[-1] == str(f)]
    assert got == [("W", "1024")] * 12 + [("W", "2048")] + \
        [("R", "2048")] * 6 + [("R", "0"), ("S", "0")], r.out
    assert "pipe" not in r.out, r.out
    # Nothing takes a day.
    assert not dated(t.run("86400000", "-c", work)), r.out


def dated(r):
    """The words of lines that begin with a date, which is four of them."""
    return [x.split() for x in r.out.splitlines() if re.match(r"\d{4} ", x)]


@tool("vfsstat", "bpf", "kprobe")
def vfsstat(t):
    with device(t) as (name, d):
        r = t.run("-c", t.python(f"""
import os
fd = os.open({str(d)!r} + "/a", os.O_RDWR | os.O_CREAT)
for i in range(500):
    os.pwrite(fd, b"x", 0)
for i in range(700):
    os.pread(fd, 1, 0)
for i in range(3):
    os.fsync(fd)
os.unlink({str(d)!r} + "/a")
"""))
        total = {k: sum(int(x[i]) for x in dated(r))
                 for i, k in enumerate("READ WRITE FSYNC OPEN UNLINK".split(),
                                      4)}
        assert 700 <= total["READ"] < 900 and 500 <= total["WRITE"] < 520, r.out
        assert total["FSYNC"] == 3 and total["UNLINK"] == 1, r.out


@tool("cachestat", "bpf", "kprobe")
def cachestat(t):
    """A file of 256 pages that is read when it is not in the cache, and again."""
    with device(t) as (name, mnt):
        f = mnt / "f"
        f.write_bytes(b"x" * (256 * 4096))
        work = """
import os
fd = os.open(%r, os.O_RDONLY)
%s
while os.read(fd, 4096):
    pass
"""
        os.sync()
        cold = t.run("-c", t.python(work % (
            str(f), "os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)")))
        warm = t.run("-c", t.python(work % (str(f), "")))
        cold, warm = cold.table("PID")[0], warm.table("PID")[0]
        # Folios of one page, or larger ones.
        assert int(cold["ADDED"]) >= int(warm["ADDED"]) + 4, (cold, warm)
        assert int(warm["LOOKED"]) >= 256, warm


@tool("ext4slower", "bpf", "kprobe")
def ext4slower(t):
    with device(t) as (name, mnt):
        f = mnt / "moved"
        r = t.run("0", "-c", t.python(MOVES % str(f) + "os.fsync(fd)\n"))
        rows = [x for x in dated(r) if x[-1] == "moved"]
        got = [(x[6], x[7]) for x in rows]
        assert got == [("O", "0")] + [("W", "1024")] * 12 + \
            [("W", "2048")] + [("R", "2048")] * 6 + [("R", "0"),
                                                   ("S", "0")], r.out
        assert [x[8] for x in rows[1:4]] == ["0", "1024", "2048"], r.out
