#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The package dtrace, with processes of its own: no privilege is needed.

PYTHONPATH and DTRACE_LIBRARY say what is tested."""
import asyncio
import gc
import importlib.util
import os
import signal
import sys
import threading
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parents[3] / "tools"))
import capabilities
import dtrace

SLOW = float(os.environ.get("DTRACE_SLOW", "1"))
PROCESS = {"engine": "process"}


def run(text, command=("true",), **kw):
    options = {**PROCESS, **kw.pop("options", {})}
    return dtrace.run(text, command=list(command), options=options, **kw)


def begins(result):
    return [r for r in result.records if r.name == "BEGIN"]


class Values(unittest.TestCase):
    def test_scalars(self):
        r = run(r'BEGIN { trace(-5); trace(18446744073709551615ull); '
                r'trace("a\"\303\244\377"); trace((char)-2); exit(0); }')
        self.assertEqual(begins(r)[0].values,
                         (-5, 2**64 - 1, 'a"\xe4\\xff', -2))

    def test_printf(self):
        r = run(r'BEGIN { printf("%d|%s\n", 3, "q"); exit(0); }')
        m = begins(r)[0].values[0]
        self.assertEqual((str(m), m.arguments), ("3|q\n", (3, "q")))

    def test_print_and_bytes(self):
        r = run('struct s { int a; int b; }; struct s v; BEGIN { v.a = 511; '
                'trace(v); print(v); exit(0); }')
        raw, printed = begins(r)[0].values
        self.assertEqual(raw, bytes.fromhex("ff01000000000000"))
        self.assertEqual(printed, dtrace.Printed("struct s",
                                                 {"a": 511, "b": 0}))

    def test_stack_and_symbol(self):
        r = run("pid$target:libc.so.6:exit:entry { ustack(3); "
                "usym(0); }")
        stack, symbol = r.records[0].values
        self.assertFalse(stack.kernel)
        self.assertTrue(stack.frames and stack.pid > 0)
        self.assertIn("+0x", str(stack))
        self.assertEqual(symbol, dtrace.Symbol("0x0"))

    def test_who_and_flow(self):
        r = run("syscall::exit_group:entry /pid == $target/ { trace(arg0); }",
                options={"who": True, "flowindent": None})
        self.assertEqual(r.records[0].values, (0,))
        self.assertEqual(r.records[0].execname, "true")
        self.assertEqual(r.records[0].pid, r.records[0].tid)
        self.assertEqual(r.records[0].flow, "entry")
        self.assertEqual(r.records[0].probe.split(":")[2:],
                         ["exit_group", "entry"])


class Aggregations(unittest.TestCase):
    PROGRAM = '''BEGIN { @["b", 2] = count(); @["a", 1] = count();
        @["a", 1] = count(); @q = quantize(9); @q = quantize(-1);
        @l = lquantize(-1, 0, 10, 2); @l = lquantize(5, 0, 10, 2);
        @top = lquantize(50, 0, 10, 2);
        @ll = llquantize(150, 10, 3, 5, 10); @m = max(-8); exit(0); }'''

    def test_rows(self):
        a = run(self.PROGRAM).aggregations
        self.assertEqual(a["_"]["a", 1], 2)
        self.assertEqual(len(a["_"]), 2)
        self.assertRaises(KeyError, lambda: a["_"]["c", 1])
        self.assertEqual((a["m"].function, a["m"][()]), ("max", -8))

    def test_histograms(self):
        a = run(self.PROGRAM).aggregations
        q = a["q"][()]
        self.assertEqual((q.count, q.buckets[0], q.buckets[-1]),
                         (2, dtrace.Bucket(-1, 1, 0),
                          dtrace.Bucket(8, 1, 16)))
        self.assertEqual([b.high for b in q.buckets], [0, 1, 2, 4, 8, 16])
        low = a["l"][()].buckets[0]
        self.assertEqual((low.low, low.high, low.count), (None, 0, 1))
        self.assertEqual(a["l"][()].buckets[-1], dtrace.Bucket(4, 1, 6))
        self.assertEqual(a["top"][()].buckets, (dtrace.Bucket(10, 1, None),))
        self.assertEqual(a["ll"][()].buckets[0], dtrace.Bucket(0, 1, 1000))

    def test_printa(self):
        r = run('BEGIN { @x["k"] = sum(4); printa(@x); exit(0); }')
        self.assertEqual(begins(r)[0].aggregations[0]["k"], 4)
        self.assertEqual(r.aggregations, {})

    def test_pandas(self):
        if importlib.util.find_spec("pandas") is None:
            self.assertFalse(capabilities.required("python3-pandas"))
            self.skipTest("pandas is not installed")
        a = run(self.PROGRAM).aggregations
        frame = a["_"].to_pandas()
        self.assertEqual(list(frame.columns), ["key1", "key2", "value"])
        self.assertEqual(int(frame["value"].sum()), 3)
        self.assertEqual(int(a["q"].to_pandas()["count"].sum()), 2)

    def test_meanwhile(self):
        with dtrace.Session({**PROCESS, "aggrate": "20ms",
                             "switchrate": "20ms"}) as s:
            s.create(["sleep", "60"])
            s.compile("tick-10ms { @ = count(); trace(1); }")
            seen = []
            for _ in s.trace(20 * SLOW):
                a = s.aggregations()
                if a and len(a["_"]):
                    seen.append(a["_"][()])
                if len(seen) > 5 and seen[-1] > seen[0]:
                    break
            self.assertEqual(seen, sorted(seen))
            self.assertGreater(seen[-1], seen[0])


class Running(unittest.TestCase):
    def test_exit_status_and_arguments(self):
        r = run("BEGIN { exit($1); }", args=["7"])
        self.assertEqual(r.exit_status, 7)
        self.assertEqual(begins(r)[0].exit_status, 7)

    def test_process_end(self):
        r = run("BEGIN { }", ["sh", "-c", "exit 3"])
        self.assertEqual([(e.status, e.signal) for e in r.ended],
                         [(3, None)])
        r = run("BEGIN { }", ["sh", "-c", "kill -9 $$"])
        self.assertEqual([(e.status, e.signal) for e in r.ended],
                         [(None, 9)])

    def test_faults_and_end(self):
        r = run("BEGIN { x = 0; trace(1 / x); } BEGIN { exit(0); } "
                "END { trace(2); }")
        self.assertEqual(r.faults[0].fault, "divide-by-zero")
        self.assertEqual(r.records[-1].values, (2,))

    def test_drops(self):
        r = run(" ".join('BEGIN { trace(strjoin("a", "b")); }'
                         for _ in range(60)) + " tick-10ms { exit(0); }",
                ["sleep", "60"], options={"bufsize": "4k"})
        self.assertTrue(r.drops and r.drops[0].kind == "PRINCIPAL")
        self.assertGreater(r.drops[0].count, 0)

    def test_timeout(self):
        begun = time.monotonic()
        r = run("tick-20ms { trace(1); } END { trace(9); }", ["sleep", "60"],
                timeout=0.5)
        self.assertLess(time.monotonic() - begun, 30 * SLOW)
        self.assertEqual(r.records[-1].values, (9,))

    def test_many(self):
        """Events come in order of time, none is lost on the way."""
        r = run("syscall:::entry /pid == $target/ { trace(i++); }",
                ["ls", "-lR", "/usr/share/doc/libc6"])
        self.assertEqual([e.values[0] for e in r.records],
                         list(range(len(r.records))))

    def test_interrupt(self):
        """An exception in the loop ends it, and lets the process go."""
        main = threading.main_thread()
        with self.assertRaises(KeyboardInterrupt):
            with dtrace.Session(PROCESS) as s:
                pid = s.create(["sleep", "60"])
                s.compile("tick-1s { }")
                threading.Timer(1, signal.pthread_kill,
                                (main.ident, signal.SIGINT)).start()
                for _ in s.trace():
                    pass
        # It was the session's own.
        self.assertRaises(ProcessLookupError, os.kill, pid, 0)

    def test_closed(self):
        s = dtrace.Session(PROCESS)
        s.close()
        s.close()
        self.assertRaises(dtrace.DTraceError, s.compile, "BEGIN { }")

    def test_no_leak_of_descriptors(self):
        run("BEGIN { exit(0); }")
        gc.collect()
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(3):
            run("BEGIN { exit(0); }")
        self.assertLessEqual(len(os.listdir("/proc/self/fd")), before)


class Refused(unittest.TestCase):
    def refused(self, tag, text, **kw):
        with self.assertRaises(dtrace.DTraceError) as c:
            run(text, **kw)
        self.assertEqual(c.exception.tag, tag)
        return str(c.exception)

    def test_compile(self):
        self.assertIn("nosuch", self.refused("D_IDENT_UNDEF",
                                             "BEGIN { nosuch; }"))
        self.refused("D_SYNTAX", "BEGIN { ")
        self.refused("EDT_BADOPTNAME", "BEGIN { }", options={"nosuch": 1})
        self.assertIn("/nonexistent", self.refused(
            "EDT_PROC", "BEGIN { }", command=["/nonexistent"]))

    def test_no_library(self):
        from dtrace import _lib
        kept = os.environ.get("DTRACE_LIBRARY")
        os.environ["DTRACE_LIBRARY"] = "/nonexistent.so"
        try:
            self.assertRaises(OSError, _lib.load)
            os.environ["DTRACE_LIBRARY"] = "" # as if it were not set
            self.assertIn("libdtrace.so.1", _lib._found())
        finally:
            del os.environ["DTRACE_LIBRARY"]
            if kept is not None:
                os.environ["DTRACE_LIBRARY"] = kept

    def test_arguments(self):
        """What is wrong is named, and nothing is cut at a NUL."""
        with dtrace.Session() as s:
            self.assertRaises(ValueError, s.compile, "BEGIN\0 { exit(0); }")
            self.assertRaises(TypeError, s.create, "ls")
        for name, value in (("foo", 1), ("bufsize", "abc")):
            with self.assertRaises(dtrace.DTraceError) as c:
                dtrace.Session({name: value})
            self.assertIn(name, str(c.exception))

    def test_bytes(self):
        """Text with any bytes is one of D's errors, not of Python's."""
        self.refused("D_SYNTAX", "BEGIN { \udcff; }")


class Probes(unittest.TestCase):
    def test_probes(self):
        names = {p.name for p in dtrace.probes("dtrace:::")}
        self.assertEqual(names, {"BEGIN", "END", "ERROR"})
        self.assertEqual(dtrace.probes("nosuch:::x"), [])
        self.assertEqual(str(dtrace.probes("BEGIN")[0]), "dtrace:::BEGIN")


class Async(unittest.TestCase):
    def test_async(self):
        """Another task goes on while the session waits."""
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        async def trace():
            other = asyncio.ensure_future(tick())
            async with dtrace.AsyncSession(PROCESS) as s:
                await s.create(["sleep", "1"])
                await s.compile("tick-100ms { trace(1); @ = count(); }")
                events = [e async for e in s.trace()]
                aggs = await s.aggregations()
            other.cancel()
            return events, aggs
        events, aggs = asyncio.run(trace())
        records = [e for e in events if isinstance(e, dtrace.Record)]
        self.assertTrue(records)
        self.assertEqual(aggs["_"][()], len(records))
        self.assertGreater(ticks, 5)

    def test_timeout(self):
        async def trace():
            async with dtrace.AsyncSession(PROCESS) as s:
                await s.create(["sleep", "60"])
                await s.compile("END { trace(5); }")
                return [e async for e in s.trace(0.2)]
        events = asyncio.run(trace())
        self.assertEqual([e.values for e in events
                          if isinstance(e, dtrace.Record)], [(5,)])


if __name__ == "__main__":
    reason = capabilities.missing("ptrace")
    if reason:
        print("skip: " + reason)
        sys.exit(77)
    unittest.main()
