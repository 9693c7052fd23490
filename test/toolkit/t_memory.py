# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch memory."""
import contextlib
import os
import re
from pathlib import Path

from t_files import device
from toolkit import Skip, tool

TOUCH = """
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#include <string.h>
int main(void)
{
	size_t n = 1000, page = 4096;
	char *p = mmap(0, n * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, n * page, MADV_NOHUGEPAGE);
	char *q = mmap(0, n / 2 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(q, n / 2 * page, MADV_NOHUGEPAGE);
	volatile char x = 0;
	for (size_t i = 0; i < n; i++)
		x += p[i * page];
	for (size_t i = 0; i < n / 2; i++)
		q[i * page] = 1;
	pid_t child = fork();
	if (child == 0)
		pause();
	for (size_t i = 0; i < n / 2; i++)
		q[i * page] = 2;
	kill(child, SIGKILL);
	return 0;
}
"""


@tool("pagefaults", "bpf")
def pagefaults(t):
    """A thousand pages are read; five hundred others are written, shared with a
    child, and written again."""
    r = t.run("-c", str(t.compile(TOUCH)))
    n = {(x["ACCESS"], x["PAGE"]): int(x["FAULTS"]) for x in r.table()}
    assert 1000 <= n["read", "new"] < 1100, r.out
    assert 500 <= n["write", "new"] < 600, r.out
    assert 500 <= n["write", "protected"] < 600, r.out


@tool("slabtop", "bpf")
def slabtop(t):
    r = t.run("-c", t.python("""
import os
for i in range(3):
    fds = [os.open("/dev/null", 0) for i in range(200)]
    [os.close(fd) for fd in fds]
"""))
    x = {x["CACHE"]: x for x in r.table("CACHE")}["filp"]
    n = int(x["ALLOCATED"])
    assert 600 <= n < 1000, r.out
    assert int(x["BYTES"]) % n == 0 and 100 < int(x["BYTES"]) // n < 1000, x


@tool("kmemtop", "bpf")
def kmemtop(t):
    """A pipe is made of two allocations."""
    r = t.run("-c", t.python("""
import os
for i in range(300):
    [os.close(fd) for fd in os.pipe()]
"""))
    x = re.search(r"`alloc_pipe_info +(\d+) +(\d+)$", r.out, re.M)
    assert x and 300 <= int(x[1]) <= 610 and int(x[2]) >= 300 * 192, r.out


@contextlib.contextmanager
def limited(megabytes):
    """A control group with so much memory, and no more in swap."""
    one, two = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/memory"))
    name = f"dt-toolkit-{os.getpid()}"
    group = (two if two.is_dir() else one) / name
    v1 = two.is_dir()
    try:
        if not v1 and not (one / "cgroup.controllers").exists():
            raise Skip("no control groups")
        group.mkdir()
        files = ["memory.limit_in_bytes"] if v1 else ["memory.max"]
        for f in files:
            (group / f).write_text(str(megabytes << 20))
        swap = group / ("memory.memsw.limit_in_bytes" if v1
                        else "memory.swap.max")
        if swap.exists():
            swap.write_text(str(megabytes << 20) if v1 else "0")
    except OSError as e:
        raise Skip(f"no control group with a limit of memory: {e}")
    try:
        yield group / "cgroup.procs"
    finally:
        group.rmdir()


@tool("oomkill", "bpf")
def oomkill(t):
    """One that takes more than its group may have is the victim."""
    t.kernel(6, 9)
    with limited(24) as procs:
        p = t.start()
        w = t.spawn(*t.python(f"""
import os
open({str(procs)!r}, "w").write(str(os.getpid()))
open("/proc/self/oom_score_adj", "w").write("77")
x = [bytearray(1 << 20) for i in range(100)]
""").split())
        w.wait(timeout=300)
        r = t.stop(p)
        rows = [x.split() for x in r.out.splitlines()
                if f" {w.pid} " in x]
        assert len(rows) == 1, r.out
        x = rows[0]
        assert x[6] == str(w.pid) and x[7] == "python3" and x[9] == "77", r.out
        assert 24000 < int(x[8]) < 400000, r.out
        assert w.returncode == -9, w.returncode


@tool("drsnoop", "bpf")
def drsnoop(t):
    """One that reads more than its group may keep frees pages itself."""
    with device(t) as (name, mnt), limited(12) as procs:
        f = mnt / "f"
        f.write_bytes(b"x" * (28 << 20))
        os.sync()
        fd = os.open(f, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)
        r = t.run("-c", t.python(f"""
import os
open({str(procs)!r}, "w").write(str(os.getpid()))
with open({str(f)!r}, "rb", 0) as f:
    while f.read(1 << 20):
        pass
"""))
        rows = [x.split() for x in r.out.splitlines() if x.endswith("group")]
        pages = sum(int(x[-2]) for x in rows)
        # 28 MB are read, 12 at most kept.
        assert pages >= 10 << 8, r.out
        assert all(int(x[-3]) >= 0 for x in rows), r.out
