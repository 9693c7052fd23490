# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch the functions of a process."""
import shutil
import subprocess

from toolkit import Skip, tool

WORK = r"""
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) int leaf(int n)
{ volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
__attribute__((noinline)) int again(int n)
{
	int r = n <= 0 ? leaf(10) : again(n - 1);
	__asm__ volatile("");
	return r + 1;
}
__attribute__((noinline)) int outer(void)
{ int r = leaf(1000) + again(3); __asm__ volatile(""); return r; }
int main(int argc, char **argv)
{
	int s = 0;
	for (int i = 0; i < 6; i++)
		s += outer();
	for (clock_t end = clock() + atoi(argc > 1 ? argv[1] : "0");
	     clock() < end;)
		s += leaf(100000);
	return s == 1;
}
"""


@tool("hotuser", "ptrace")
def hotuser(t):
    r = t.run("-c", f"{t.compile(WORK)} 700000", user=True)
    rows = r.table("SAMPLES")
    # Seven tenths of a second of CPU time, nearly all in one function.
    assert rows[-1]["FUNCTION"].endswith("`leaf"), r.out
    assert int(rows[-1]["SAMPLES"]) > 0.5 * sum(
        int(x["SAMPLES"]) for x in rows) > 50, r.out


@tool("libcalls", "ptrace")
def libcalls(t):
    exe = t.compile(WORK)
    r = t.run("-c", exe, "a.out", "*", user=True)
    got = {x["FUNCTION"]: int(x["CALLS"]) for x in r.table("CALLS")}
    assert (got["main"], got["outer"], got["again"], got["leaf"]) == \
        (1, 6, 24, 12), r.out
    r = t.run("-c", exe, "a.out", "[ao]*", user=True)
    got = {x["FUNCTION"]: int(x["CALLS"]) for x in r.table("CALLS")}
    assert got == {"outer": 6, "again": 24}, r.out
    # All functions of all objects are asked for by nobody who forgets a word.
    r = t.run("-c", exe, status=2, user=True, quiet=False)
    assert r.out == "" and len(r.err.splitlines()) == 1 and \
        "argument 1 is missing: the object" in r.err, r.err


@tool("usertime", "ptrace")
def usertime(t):
    r = t.run("-c", t.compile(WORK), "a.out", "again", user=True)
    row = r.table("CALLS")[0]
    assert row["CALLS"] == "24" and row["FUNCTION"] == "again", r.out
    assert sum(r.histogram().values()) == 24, r.out
    assert int(row["TIME(ns)"]) >= int(row["LONGEST(ns)"]) > 0, r.out


@tool("ustackcount", "ptrace")
def ustackcount(t):
    r = t.run("-c", t.compile(WORK), "a.out", "again", user=True)
    stacks = [s.split("\n") for s in r.out.strip("\n").split("\n\n")]
    assert [s[-1].strip() for s in stacks] == ["6"] * 4, r.out
    assert sorted(sum("`again" in line for line in s) for s in stacks) == \
        [1, 2, 3, 4], r.out


@tool("userflow", "ptrace")
def userflow(t):
    r = t.run("-c", t.compile(WORK), "a.out", "outer", user=True)
    got = [" ".join(line.split()[:2]) for line in r.out.splitlines() if line]
    assert got == ["-> outer", "-> leaf", "<- leaf"] + ["-> again"] * 4 + \
        ["-> leaf", "<- leaf"] + ["<- again"] * 4 + ["<- outer"], r.out
    assert "\n      -> again\n" in r.out, r.out
    # Where a function leaves without a probe, what follows lies no deeper.
    r = t.run("-c", t.compile(r"""
#include <string.h>
__attribute__((noinline)) int cmp(const char *a, const char *b)
{ return strcmp(a, b); }
__attribute__((noinline)) int outer(char **v, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += cmp(v[0], v[i]);
	return sum + 1;
}
int main(int argc, char **argv)
{
	char *v[] = { argv[0], argv[0], argv[0], argv[0], argv[0] };
	return outer(v, 5) + argc == 0;
}
""", "-O2"), "a.out", "outer", user=True, quiet=False)
    got = [line for line in r.out.splitlines() if "<- cmp" not in line]
    assert got[:6] == ["-> outer"] + ["  -> cmp"] * 5, r.out
    assert got[6].startswith("<- outer "), r.out


@tool("qsorts", "ptrace")
def qsorts(t):
    r = t.run("-c", t.compile(r"""
#include <stdlib.h>
int less(const void *a, const void *b)
{ return *(const char *)a - *(const char *)b; }
__attribute__((noinline)) void sorted(char *s, int n)
{ qsort(s, n, 1, less); __asm__ volatile(""); }
int main(void)
{
	char s[100] = "the quick brown fox";
	for (int i = 0; i < 5; i++)
		sorted(s, 19);
	sorted(s, 100);
	return 0;
}
"""), user=True)
    row = [x for x in r.table("CALLS") if "`sorted+" in x["CALLER"]][0]
    assert (row["CALLS"], row["ELEMENTS"]) == ("6", "195"), r.out
    assert int(row["TIME(ns)"]) > 0, r.out
    got = r.histogram()
    assert got[16] == 5 and got[64] == 1, r.out


@tool("pthreads", "ptrace")
def pthreads(t):
    r = t.run("-c", t.compile(r"""
#include <pthread.h>
void *first(void *a) { return a; }
void *second(void *a) { return a; }
__attribute__((noinline)) void made(void *(*f)(void *))
{ pthread_t t; if (pthread_create(&t, 0, f, 0) == 0) pthread_join(t, 0); }
int main(void)
{
	pthread_attr_t a;
	pthread_t t;
	for (int i = 0; i < 4; i++)
		made(first);
	made(second);
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 1ul << 46);
	return pthread_create(&t, &a, second, 0) == 0;
}
""", "-pthread"), user=True)
    got = {x["FUNCTION"].partition("`")[2]: (x["THREADS"], x["FAILED"])
           for x in r.table("THREADS")}
    assert got == {"first": ("4", "0"), "second": ("1", "1")}, r.out
    assert "`made+" in r.out, r.out


@tool("cppexceptions", "ptrace")
def cppexceptions(t):
    if shutil.which("g++") is None:
        raise Skip("no g++")
    src = t.file("throws.cc", r"""
#include <stdexcept>
__attribute__((noinline)) void thrower(int i)
{ if (i % 3) throw i; throw std::runtime_error("x"); }
int main()
{
	for (int i = 0; i < 6; i++)
		try {
			try { thrower(i); } catch (int) { throw; }
		} catch (...) { }
}
""")
    exe = t.tmp / "throws"
    subprocess.run(["g++", "-O1", "-o", exe, src], check=True)
    r = t.run("-c", exe, user=True)
    got = {x["TYPE"]: int(x["THROWN"]) for x in r.table("THROWN")}
    if not got:
        raise Skip("libstdc++ has no probes")
    assert got == {"int": 4, "std::runtime_error": 2, "(caught)": 10,
                   "(thrown on)": 4}, r.out
    assert "`thrower" in r.out, r.out
