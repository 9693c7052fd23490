# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch CPUs, and threads that run or wait."""
import os
import re
import shutil
import time

from toolkit import Skip, tool

# Threads that sleep n times, and that is all they do.
SLEEPS = """
import ctypes, threading
libc = ctypes.CDLL(None)
def sleeps():
    for i in range(%d):
        libc.usleep(20000)
t = [threading.Thread(target=sleeps) for i in range(2)]
[x.start() for x in t]
[x.join() for x in t]
"""
SPIN = """
import time
end = time.process_time() + %g
while time.process_time() < end:
    sum(range(1000))
"""


def buckets(text):
    return {int(v): int(n) for v, n in
            re.findall(r"^ +(-?\d+) \|@* +(\d+) *$", text, re.M)}


@tool("runqlat", "bpf")
def runqlat(t):
    """Each sleep ends with one wait for a CPU."""
    r = t.run("-c", t.python(SLEEPS % 50))
    assert sum(buckets(r.out).values()) >= 100, r.out


@tool("runqlat", "bpf")
def runqlat_crowd(t):
    """Several that want one CPU wait for it most of the time."""
    cpu = min(os.sched_getaffinity(0))
    text = f"import os\nos.sched_setaffinity(0, {{{cpu}}})\n"
    work = t.python(text + "for i in range(3):\n    if os.fork() == 0: break\n"
                    + SPIN % 0.3)
    p = t.start()
    w = t.spawn(*work.split())
    w.wait()
    r = t.stop(p)
    assert sum(n for v, n in buckets(r.out).items() if v >= 1024) >= 10, r.out


@tool("runqlen", "bpf")
def runqlen(t):
    """Four that spin on one CPU: three of them wait."""
    cpu = min(os.sched_getaffinity(0))
    t.spawn(*t.python(
        f"import os\nos.sched_setaffinity(0, {{{cpu}}})\n"
        "for i in range(3):\n    if os.fork() == 0: break\n"
        + SPIN % 1.0).split())
    time.sleep(0.3)
    r = t.run("1")
    text = re.search(rf"CPU {cpu}, threads that wait:.*?(?=\nCPU|\Z)", r.out,
                     re.S)[0]
    n = buckets(text)
    assert sum(c for v, c in n.items() if v >= 3) >= sum(n.values()) / 3, r.out


@tool("cpudist", "bpf")
def cpudist(t):
    r = t.run("-c", t.python(SLEEPS % 50))
    n = buckets(r.out)
    assert 100 <= sum(n.values()) < 1000, r.out
    assert "microseconds on a CPU:" in r.out, r.out


def waits(r, word):
    """Microseconds of the paragraphs that have this word."""
    found = [p for p in re.split(r"\n\n(?=  \S)", "\n\n" + r.out.lstrip("\n"))
             if word in p]
    return sum(int(n) for p in found
               for n in re.findall(r" (\d+) us$", p, re.M)), found


@tool("offcputime", "bpf")
def offcputime(t):
    """Two threads that sleep a second each; of each time a little is over before
    they leave the processor, and some kernels show a switch in a hundred not."""
    r = t.run("-c", t.python(SLEEPS % 50))
    us, found = waits(r, "nanosleep")
    assert us >= 1800000, r.out
    # glibc's own functions have names where its debugging symbols are installed.
    assert any("libc.so.6`clock_nanosleep" in p and
               re.search("`start_thread|libc.so.6`0x", p) for p in found), r.out
    assert len(re.findall(r"^  python3", r.out, re.M)) >= 2, r.out


@tool("offwaketime", "bpf")
def offwaketime(t):
    """A reader waits for another process, and is woken by it each time."""
    r = t.run("-c", t.python(PIPE))
    us, found = waits(r, "woken by the-writer")
    assert us >= 1000000, r.out
    assert any("pipe_read" in p for p in found), r.out


PIPE = """
import ctypes, os, time
r, w = os.pipe()
if os.fork() == 0:
    ctypes.CDLL(None).prctl(15, b"the-writer")
    for i in range(20):
        time.sleep(0.06)
        os.write(w, b"x")
    os._exit(0)
for i in range(20):
    os.read(r, 1)
"""


@tool("wakeuptime", "bpf")
def wakeuptime(t):
    r = t.run("-c", t.python(PIPE))
    us, found = waits(r, "woken by the-writer")
    assert us >= 1000000, r.out
    assert any("pipe_write" in p and "write" in p for p in found), r.out


@tool("profile", "bpf")
def profile(t):
    """Nearly all samples are of the function that spins; half a second of one CPU
    is half of 997 samples at most, and where a machine is emulated fewer."""
    exe = t.compile("""
#include <time.h>
__attribute__((noinline)) long spin_here(long n)
{
	volatile long x = 0;
	for (long i = 0; i < n; i++)
		x += i;
	return x;
}
int main(void)
{
	struct timespec s;
	do {
		spin_here(100000);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &s);
	} while (s.tv_sec == 0 && s.tv_nsec < 500000000);
}
""", "-fno-omit-frame-pointer")
    r = t.run("-c", str(exe))
    n = sum(int(x) for x in re.findall(r"`spin_here\+0x\w+\n(?: .*`.*\n)*"
                                       r" +(\d+)$", r.out, re.M))
    total = sum(int(x) for x in re.findall(r"^ +(\d+)$", r.out, re.M))
    assert 50 <= n <= 700 and n >= 0.6 * total, r.out


@tool("hotkernel", "bpf")
def hotkernel(t):
    """Two gigabytes of zeros are made by the kernel."""
    r = t.run("-c", t.python("""
import os
z, n = os.open("/dev/zero", 0), bytearray(1 << 20)
for i in range(2000):
    os.readv(z, [n])
"""))
    rows = re.findall(r"^(\S+) +(\d+)$", r.out, re.M)
    total = int(re.search(r"^all of them +(\d+)$", r.out, re.M)[1])
    assert total == sum(int(n) for _, n in rows) and total >= 20, r.out
    assert re.search(r"clear|zero|memset|rep_stos", rows[-1][0]), r.out


@tool("cpuwalk", "bpf")
def cpuwalk(t):
    cpu = max(os.sched_getaffinity(0))
    if shutil.which("taskset") is None:
        raise Skip("no taskset")
    r = t.run("-c", f"taskset -c {cpu} " + t.python(SPIN % 0.5))
    n = {int(x["CPU"]): int(x["SAMPLES"]) for x in r.table()}
    assert n[cpu] >= 100 and n[cpu] >= 0.8 * sum(n.values()), r.out


@tool("migrations", "bpf")
def migrations(t):
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise Skip("one CPU")
    a, b = cpus[0], cpus[-1]
    r = t.run("-c", t.python(f"""
import os
os.sched_setaffinity(0, {{{a}}})
for i in range(40):
    os.sched_setaffinity(0, {{{b}}})
    os.sched_setaffinity(0, {{{a}}})
"""))
    n = {(x["FROM"], x["TO"]): int(x["COUNT"]) for x in r.table()}
    assert n[str(b), str(a)] >= 40 and n[str(a), str(b)] >= 40, r.out
    assert sum(n.values()) < 100, r.out


@tool("softirqs", "bpf")
def softirqs(t):
    """Each datagram over the loopback device raises NET_RX; several may be
    handled at once, but not those that one waits for."""
    p = t.start()
    t.spawn(*t.python("""
import socket
a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
a.bind(("127.0.0.1", 0))
for i in range(300):
    a.sendto(b"x", a.getsockname())
    a.recv(10)
""").split()).wait()
    r = t.stop(p)
    rows = {x["KIND"]: x for x in r.table("KIND")}
    x = rows["NET_RX"]
    assert int(x["COUNT"]) >= 300, r.out
    assert int(x["TIME(us)"]) >= int(x["MOST(us)"]) > 0, r.out
    assert "?" not in rows, r.out


@tool("hardirqs", "bpf")
def hardirqs(t):
    """As many as the kernel counts, for those that come while it is watched."""
    def counted():
        n = {}
        for line in open("/proc/interrupts"):
            words = line.split()
            if words[0][:-1].isdigit():
                cpus = [w for w in words[1:] if w.isdigit()]
                n[words[0][:-1]] = sum(map(int, cpus[:os.cpu_count()]))
        return n
    outer = counted()
    p = t.start()
    before = counted()
    f = t.tmp / "f"
    for i in range(10):
        f.write_bytes(b"x" * 4096)
        os.sync()
    time.sleep(0.5)
    after = counted()
    r = t.stop(p)
    end = counted()
    got = {x["IRQ"]: int(x["COUNT"]) for x in r.table("IRQ")}
    for irq in after:
        least = after[irq] - before[irq]
        assert least <= got.get(irq, 0) <= end[irq] - outer[irq], \
            (irq, outer[irq], before[irq], after[irq], end[irq], r.out)
    if not got:
        raise Skip("no interrupt came from any device")
