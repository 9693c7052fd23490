# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch what a process allocates."""
from toolkit import tool

ALLOC = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define KEEP(p) __asm__ volatile("" : "+r"(p))
__attribute__((noinline)) void *leaky(size_t n)
{ void *p = malloc(n); KEEP(p); return p; }
__attribute__((noinline)) void *grow(void *p, size_t n)
{ p = realloc(p, n); KEEP(p); return p; }
__attribute__((noinline)) void *zero(size_t n)
{ void *p = calloc(n, 8); KEEP(p); return p; }
__attribute__((noinline)) void *copied(const char *s)
{ void *p = strdup(s); KEEP(p); return p; }
__attribute__((noinline)) void *aligned(size_t n)
{ void *p; if (posix_memalign(&p, 4096, n)) return 0; KEEP(p); return p; }
__attribute__((noinline)) void *freed(size_t n)
{ void *p = malloc(n); KEEP(p); return p; }
int main(void)
{
	void *q = 0;
	free(freed(100));
	int moved = 0;
	for (int i = 0; i < 100; i++) {
		void *p = leaky(64);
		if (i >= 10)
			free(p);
	}
	for (int i = 1; i <= 50; i++) {
		void *was = q;
		q = grow(q, i * 100);
		moved += was && was != q;
		if (i % 10 == 0)
			zero(16);
	}
	for (int i = 0; i < 4; i++)
		copied("eight ch");
	free(aligned(3000));
	aligned(1000);
	FILE *f = fopen("moved", "w");
	if (f == NULL)
		return 1;
	fprintf(f, "%d", moved);
	return 0;
}
"""


def callers(rows):
    return {x["CALLER"].partition("`")[2].partition("+")[0]: x for x in rows}


def alloc(t):
    """The program; it writes into t.tmp/moved how many blocks realloc moved."""
    t.tmp.chmod(0o777)
    return t.compile(ALLOC.replace('fopen("moved"',
                                   f'fopen("{t.tmp}/moved"'))


@tool("mallocsize", "ptrace")
def mallocsize(t):
    r = t.run("-c", alloc(t), user=True)
    got = {x["FUNCTION"]: (int(x["CALLS"]), int(x["BYTES"]))
           for x in r.table("FUNCTION")}
    assert got["calloc"] == (5, 640), r.out
    assert got["realloc"] == (50, 127500), r.out
    assert got["posix_memalign"] == (2, 4000), r.out
    # One of realloc, four of strdup, two of stdio.
    assert got["malloc"][0] >= 105, r.out
    assert "calloc, bytes:" in r.out and "|@" in r.out, r.out


def memleak_of(t, *more, user):
    r = t.run("-c", alloc(t), *more, user=user)
    got = {k: (int(x["BYTES"]), int(x["BLOCKS"]))
           for k, x in callers(r.table("BYTES")).items()}
    assert got["leaky"] == (640, 10), r.out
    assert got["grow"] == (5000, 1), r.out
    assert got["zero"] == (640, 5), r.out
    assert got["copied"] == (36, 4), r.out
    assert got["aligned"] == (1000, 1), r.out
    assert "freed" not in got and (0, 0) not in got.values(), r.out


@tool("memleak", "ptrace")
def memleak(t):
    memleak_of(t, user=True)


@tool("memleak", "bpf", "uprobe")
def memleak_kernel(t):
    memleak_of(t, "-x", "engine=kernel", user=False)


@tool("mallocstacks", "ptrace")
def mallocstacks(t):
    r = t.run("-c", alloc(t), user=True)
    last = r.out.rstrip().split("\n\n")[-1]
    assert "`grow+" in last and last.endswith(" 127400 bytes"), r.out
    assert len(t.run("-c", alloc(t), "0", "1", user=True).out.split(
        " bytes\n")) == 2


@tool("reallocs", "ptrace")
def reallocs(t):
    r = t.run("-c", alloc(t), user=True)
    row = callers(r.table("CALLS"))["grow"]
    assert row["CALLS"] == "49", r.out
    assert row["MOVED"] == (t.tmp / "moved").read_text() != "0", r.out
    assert int(row["BYTES"]) > 0, r.out


@tool("heapgrow", "ptrace")
def heapgrow(t):
    exe = t.compile(r"""
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline)) void *more(void)
{
	return mmap(0, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
int main(void)
{
	char *a = more(), *b = more(), *c = more();
	char *top = sbrk(0);
	munmap(a, 1 << 20);
	b = mremap(b, 1 << 20, 3 << 20, MREMAP_MAYMOVE);
	b = mremap(b, 3 << 20, 1 << 20, MREMAP_MAYMOVE);
	brk(top + 65536);
	brk(top + 4096);
	return c == 0 || b == 0;
}
""")
    r = t.run("-c", exe, user=True)
    got = {x["CALL"]: (int(x["BYTES"]), int(x["CALLS"]))
           for x in r.table("BYTES")}
    assert got["mmap"] == (3 << 20, 3), r.out
    assert got["mremap, up"] == (2 << 20, 1), r.out
    assert got["mremap, down"] == (2 << 20, 1), r.out
    assert got["brk, up"][0] == 65536 and got["brk, down"] == (61440, 1), r.out
    assert got["munmap"][0] >= 1 << 20, r.out
    assert "`more+" in r.out, r.out


@tool("fdleak", "ptrace")
def fdleak(t):
    r = t.run("-c", t.python(f"""
import os, socket
p = {str(t.file("kept"))!r}
keep = [os.open(p, 0) for i in range(5)]
for f in keep[:3]:
    os.close(f)
os.dup2(keep[3], keep[4])
a, b = socket.socketpair()
a.close()
os.eventfd(0)
os._exit(0)
"""), user=True)
    got = {x["WHAT"]: (int(x["OPENED"]), int(x["OPEN"]))
           for x in r.table("OPENED")}
    assert got[str(t.tmp / "kept")] == (5, 1), r.out
    assert got["dup2"] == (1, 1) and got["socketpair"] == (2, 1), r.out
    assert got["eventfd2"] == (1, 1), r.out
