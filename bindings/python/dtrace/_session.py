# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sessions: a handle of libdtrace, its programs, its processes, its loop."""
from __future__ import annotations

import asyncio
import ctypes
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import (Any, AsyncIterator, Callable, Deque, Dict, Iterator, List,
                    Mapping, Optional, Sequence, TypeVar, Union)

from . import _lib
from ._rows import Aggregation, Drop, Event, Fault, ProcessEnd, Record, parse

T = TypeVar("T")
Options = Mapping[str, Union[str, int, bool, None]]


class DTraceError(Exception):
    """libdtrace has refused.  tag is that of the error (D_SYNTAX, EDT_NOPROBE),
    number its dtrace_errno()."""

    def __init__(self, message: str, tag: str = "", number: int = 0) -> None:
        super().__init__(message)
        self.tag = tag
        self.number = number


@dataclass(frozen=True)
class Probe:
    """A probe that can be enabled."""
    id: int
    provider: str
    module: str
    function: str
    name: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.module}:{self.function}:{self.name}"


@dataclass(frozen=True)
class Program:
    """A program that has been compiled and will be enabled."""
    matches: int
    aggregations: int


@dataclass
class Result:
    """What run() gives."""
    records: List[Record] = field(default_factory=list)
    aggregations: Dict[str, Aggregation] = field(default_factory=dict)
    drops: List[Drop] = field(default_factory=list)
    faults: List[Fault] = field(default_factory=list)
    ended: List[ProcessEnd] = field(default_factory=list)
    exit_status: int = 0


class Session:
    """A handle.  Use it with `with`, in one thread, in this order: create() or
    grab(), compile(), trace(), aggregations().

        with Session() as s:
            s.create(["ls", "/"])
            s.compile("syscall:::entry { @[probefunc] = count(); }")
            for event in s.trace():
                print(event)
            for row in s.aggregations()["_"]:
                print(row.keys, row.value)

    options are those of dtrace -x, by name; True sets a flag.
    """

    def __init__(self, options: Optional[Options] = None,
                 flags: int = 0) -> None:
        self._lib = _lib.load()
        error = ctypes.c_int(0)
        self._dtp = self._lib.dtrace_open(_lib.VERSION, flags,
                                          ctypes.byref(error))
        if not self._dtp:
            text = self._lib.dtrace_errmsg(None, error.value)
            raise DTraceError(text.decode(errors="replace"), "", error.value)
        self._procs: List[int] = []
        self._live = 0
        self._going = self._done = self._stopped = False
        self._text = b""
        self._events: Deque[Event] = deque()
        self._aggs: List[Aggregation] = []
        # The library keeps these: they must live as long as the handle.
        self._buffered = _lib.BUFFERED_F(self._on_text)
        self._notice = _lib.NOTICE_F(lambda data, arg: 0)
        self._proc = _lib.PROC_F(self._on_proc)
        try:
            self.set_option("oformat", "jsonl")
            for name, value in (options or {}).items():
                self.set_option(name, value)
            self._check(self._lib.dtrace_handle_buffered(
                self._dtp, self._buffered, None))
            for handle in (self._lib.dtrace_handle_err,
                           self._lib.dtrace_handle_drop):
                self._check(handle(self._dtp, self._notice, None))
            self._check(self._lib.dtrace_handle_proc(self._dtp, self._proc,
                                                     None))
        except BaseException:
            self.close()
            raise

    # ---- the handle ------------------------------------------------------

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End tracing; let processes go.  May be called again."""
        if self._dtp:
            self._lib.dtrace_close(self._dtp)
            self._dtp = None

    def _handle(self) -> Any:
        if not self._dtp:
            raise DTraceError("the session is closed")
        return self._dtp

    def _fail(self) -> DTraceError:
        number = self._lib.dtrace_errno(self._dtp)
        text = self._lib.dtrace_errmsg(self._dtp, number)
        tag = self._lib.dtrace_errtag(self._dtp) or b""
        return DTraceError(text.decode(errors="replace"), tag.decode(), number)

    def _check(self, rv: int) -> None:
        if rv != 0:
            raise self._fail()

    def set_option(self, name: str,
                   value: Union[str, int, bool, None] = True) -> None:
        """-x name=value; True or None sets a flag, False clears it."""
        text = (None if value is None or value is True else
                b"0" if value is False else _lib.text(str(value)))
        if self._lib.dtrace_setopt(self._handle(), _lib.text(name), text) != 0:
            error = self._fail()
            raise DTraceError(f"option {name}: {error}", error.tag, error.number)

    def get_option(self, name: str) -> Optional[int]:
        """Its number; None: it is not set."""
        value = ctypes.c_int64()
        self._check(self._lib.dtrace_getopt(self._handle(), name.encode(),
                                            ctypes.byref(value)))
        return None if value.value == -2 else value.value

    # ---- processes and programs ------------------------------------------

    def create(self, command: Sequence[str]) -> int:
        """Start a command, which waits until tracing begins; its pid, which is
        $target."""
        argv = _lib.strings(command)
        return self._take(self._lib.dtrace_proc_create(
            self._handle(), argv[0], argv, None, None))

    def grab(self, pid: int) -> int:
        """Take hold of a running process."""
        return self._take(self._lib.dtrace_proc_grab(self._handle(), pid, 0))

    def _take(self, proc: Optional[int]) -> int:
        if not proc:
            raise self._fail()
        self._procs.append(proc)
        self._live += 1
        return int(self._lib.dtrace_proc_pid(proc))

    def compile(self, text: str, args: Sequence[str] = (), *,
                zdefs: bool = False) -> Program:
        """Compile D and add it to what trace() enables.  args are $1, $2 ...;
        zdefs: descriptions may match nothing."""
        argv = _lib.strings(["python", *args])
        prog = self._lib.dtrace_program_strcompile(
            self._handle(), _lib.text(text), _lib.PROBESPEC_NAME,
            _lib.C_ZDEFS if zdefs else 0, len(args) + 1, argv)
        if not prog:
            raise self._fail()
        info = _lib.ProgInfo()
        self._check(self._lib.dtrace_program_exec(self._handle(), prog,
                                                  ctypes.byref(info)))
        return Program(info.matches, info.aggregates)

    def probes(self, description: str = "") -> List[Probe]:
        """The probes that match; all that are known without one."""
        found: List[Probe] = []

        def each(_dtp: Any, p: Any, _arg: Any) -> int:
            d = p.contents
            found.append(Probe(d.id, *(s.decode(errors="replace") for s in (
                d.provider, d.mod, d.func, d.name))))
            return 0
        want = _lib.ProbeDesc()
        self._check(self._lib.dtrace_str2desc(
            self._handle(), _lib.PROBESPEC_NAME, _lib.text(description),
            ctypes.byref(want)))
        rv = self._lib.dtrace_probe_iter(self._handle(), ctypes.byref(want),
                                         _lib.PROBE_F(each), None)
        if rv != 0 and self._lib.dtrace_errtag(self._dtp) != b"EDT_NOPROBE":
            raise self._fail()
        return found

    # ---- what comes ------------------------------------------------------

    def _on_text(self, data: Any, _arg: Any) -> int:
        self._text += data.contents.buffered or b""
        return 0

    def _on_proc(self, _proc: Any, _msg: Any, _arg: Any) -> int:
        self._live -= 1
        return 0

    def _parse(self) -> None:
        *lines, self._text = self._text.split(b"\n")
        for line in lines:
            what = parse(line.decode("utf-8"))
            if isinstance(what, list):
                self._aggs = what
            else:
                self._events.append(what)

    def go(self) -> None:
        """Begin to trace; trace() does so by itself."""
        if self._going:
            return
        self._check(self._lib.dtrace_go(self._handle()))
        self._going = True
        for proc in self._procs:
            self._lib.dtrace_proc_continue(self._dtp, proc)

    def stop(self) -> None:
        """End tracing: what is there and what END gives comes in step()."""
        if self._going and not self._stopped:
            self._check(self._lib.dtrace_stop(self._handle()))
            self._stopped = True

    def step(self, wait: bool = True) -> List[Event]:
        """Wait until there is something to do (a second at most), and give what
        has come.  An empty list is no end: that is when `done` is true."""
        self.go()
        if self._done:
            return []
        ended = self._procs and self._live == 0
        if wait and not ended and not self._stopped:
            self._lib.dtrace_sleep(self._handle())
            ended = self._procs and self._live == 0
        if ended:
            self.stop()
        rv = self._lib.dtrace_work(self._handle(), None, None, None, None)
        if rv == _lib.WORK_ERROR:
            raise self._fail()
        self._done = rv == _lib.WORK_DONE or self._stopped
        self._parse()
        events = list(self._events)
        self._events.clear()
        return events

    @property
    def done(self) -> bool:
        """Nothing more will come."""
        return self._done

    @property
    def exit_status(self) -> int:
        """What exit() was given."""
        return int(self._lib.dtrace_exit_status(self._handle()))

    def trace(self, timeout: Optional[float] = None) -> Iterator[Event]:
        """Every event, until exit(), the end of all processes, or timeout
        seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self._done:
            if end is not None and time.monotonic() >= end:
                self.stop()
            yield from self.step()

    def aggregations(self) -> Dict[str, Aggregation]:
        """All aggregations as they are now, by name ("_" is a bare @): those
        that no printa() has printed."""
        if self._going:
            self._aggs = []
            self._check(self._lib.dtrace_aggregate_snap(self._handle()))
            self._check(self._lib.dtrace_aggregate_print(self._handle(), None,
                                                         None))
            self._parse()
        return {a.name: a for a in self._aggs}

    def clear(self) -> None:
        """Set the values of all aggregations to zero."""
        self._check(self._lib.dtrace_aggregate_clear(self._handle()))


class AsyncSession:
    """A session whose calls are made in a thread of its own, so that an event
    loop goes on meanwhile.

        async with AsyncSession() as s:
            await s.create(["ls", "/"])
            await s.compile("syscall:::entry { trace(arg0); }")
            async for event in s.trace():
                print(event)
    """

    def __init__(self, options: Optional[Options] = None,
                 flags: int = 0) -> None:
        self._options, self._flags = options, flags
        # All calls come from one thread: processes are traced by threads.
        self._thread = ThreadPoolExecutor(1, "dtrace")
        self._session: Optional[Session] = None

    async def _call(self, f: Callable[..., T], *args: Any, **kw: Any) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: f(*args, **kw))

    @property
    def session(self) -> Session:
        if self._session is None:
            raise DTraceError("the session is not open")
        return self._session

    async def __aenter__(self) -> "AsyncSession":
        self._session = await self._call(Session, self._options, self._flags)
        return self

    async def __aexit__(self, *exc: object) -> None:
        try:
            await asyncio.shield(self._call(self.session.close))
        finally:
            self._thread.shutdown(wait=False)

    async def create(self, command: Sequence[str]) -> int:
        return await self._call(self.session.create, command)

    async def grab(self, pid: int) -> int:
        return await self._call(self.session.grab, pid)

    async def compile(self, text: str, args: Sequence[str] = (), *,
                      zdefs: bool = False) -> Program:
        return await self._call(self.session.compile, text, args, zdefs=zdefs)

    async def stop(self) -> None:
        await self._call(self.session.stop)

    async def aggregations(self) -> Dict[str, Aggregation]:
        return await self._call(self.session.aggregations)

    async def trace(self, timeout: Optional[float] = None
                    ) -> AsyncIterator[Event]:
        """As Session.trace()."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.session.done:
            if end is not None and time.monotonic() >= end:
                await self.stop()
            for event in await self._call(self.session.step):
                yield event


def run(text: str, *, command: Optional[Sequence[str]] = None,
        pid: Optional[int] = None, args: Sequence[str] = (),
        timeout: Optional[float] = None,
        options: Optional[Options] = None) -> Result:
    """Compile, trace to the end, and give all of it."""
    result = Result()
    with Session(options) as s:
        if command is not None:
            s.create(command)
        if pid is not None:
            s.grab(pid)
        s.compile(text, args)
        for event in s.trace(timeout):
            if isinstance(event, Record):
                result.records.append(event)
            elif isinstance(event, Drop):
                result.drops.append(event)
            elif isinstance(event, Fault):
                result.faults.append(event)
            else:
                result.ended.append(event)
        result.aggregations = s.aggregations()
        result.exit_status = s.exit_status
    return result


def probes(description: str = "") -> List[Probe]:
    """The probes that match a description."""
    with Session() as s:
        return s.probes(description)
