# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a trace gives, as typed rows, from the lines of structured output
(doc/output.schema.json)."""
from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union


@dataclass(frozen=True)
class Frame:
    """One line of a stack.  place: where there is no name, the address as the
    module's file has it."""
    symbol: str
    module: str = ""
    name: str = ""
    offset: int = 0
    address: int = 0
    place: int = 0

    def __str__(self) -> str:
        return self.symbol


@dataclass(frozen=True)
class Stack:
    """A stack, the innermost frame first; kernel: of the kernel."""
    frames: Tuple[Frame, ...]
    kernel: bool = False
    pid: int = 0

    def __str__(self) -> str:
        return "\n".join(f.symbol for f in self.frames)


@dataclass(frozen=True)
class Symbol:
    """What sym(), usym() and their kin give."""
    text: str
    object: str = ""
    name: str = ""
    offset: int = 0
    address: int = 0

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Message:
    """The text of printf(), and what it was made of."""
    text: str
    format: str = ""
    arguments: Tuple[Any, ...] = ()

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Printed:
    """print(): a value by its type; structures are dicts."""
    type: str
    value: Any


Value = Union[int, float, str, bytes, Stack, Symbol, Message, Printed, None,
              Dict[str, Any]]


@dataclass(frozen=True)
class Bucket:
    """A part of a distribution.  low is what dtrace prints: the least value
    that goes there, of negative ones the one nearest to zero; for the lowest
    of lquantize() it is None, for values nearer to zero than the lowest
    magnitude of llquantize() 0.  All values are below high; None: there is no
    such limit, as of the last one of lquantize() and llquantize()."""
    low: Optional[int]
    count: int
    high: Optional[int] = None


@dataclass(frozen=True)
class Histogram:
    """A distribution, the lowest bucket first."""
    buckets: Tuple[Bucket, ...]

    @property
    def count(self) -> int:
        return sum(b.count for b in self.buckets)


@dataclass(frozen=True)
class Row:
    """One row of an aggregation."""
    keys: Tuple[Value, ...]
    value: Union[int, Histogram]


@dataclass
class Aggregation:
    """An aggregation: @name = function(...)."""
    name: str
    function: str
    rows: List[Row] = field(default_factory=list)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: Any) -> Union[int, Histogram]:
        """The value for a key: one value, or a tuple of several."""
        keys = key if isinstance(key, tuple) else (key,)
        for row in self.rows:
            if row.keys == keys:
                return row.value
        raise KeyError(key)

    def to_pandas(self) -> Any:
        """A DataFrame: columns key1, key2 ... and value; of distributions a
        row for each bucket, with low and count.  pandas must be there."""
        import pandas  # type: ignore[import]
        table: List[Dict[str, Any]] = []
        for row in self.rows:
            keys = {f"key{i}": k if isinstance(k, (int, float, str)) else str(k)
                    for i, k in enumerate(row.keys, 1)}
            if isinstance(row.value, Histogram):
                table += [{**keys, "low": b.low, "count": b.count}
                          for b in row.value.buckets]
            else:
                table.append({**keys, "value": row.value})
        return pandas.DataFrame(table)


@dataclass(frozen=True)
class Record:
    """A clause that ran at a probe, and what its statements gave.  pid, tid and
    execname are there with the option who."""
    timestamp: int
    cpu: int
    id: int
    provider: str
    module: str
    function: str
    name: str
    values: Tuple[Value, ...] = ()
    aggregations: Tuple[Aggregation, ...] = ()
    pid: Optional[int] = None
    tid: Optional[int] = None
    execname: Optional[str] = None
    flow: Optional[str] = None
    exit_status: Optional[int] = None

    @property
    def probe(self) -> str:
        return f"{self.provider}:{self.module}:{self.function}:{self.name}"


@dataclass(frozen=True)
class Drop:
    """Data that was lost."""
    kind: str
    count: int
    total: int
    cpu: int
    message: str


@dataclass(frozen=True)
class Fault:
    """A clause that failed; it has left no record."""
    probe: str
    fault: str
    address: int
    message: str


@dataclass(frozen=True)
class ProcessEnd:
    """A process of create() or grab() has ended."""
    pid: int
    status: Optional[int] = None
    signal: Optional[int] = None


Event = Union[Record, Drop, Fault, ProcessEnd]


def _stack(v: Dict[str, Any], key: str) -> Stack:
    names = {f.name for f in dataclasses.fields(Frame)}
    return Stack(tuple(Frame(**{k: x for k, x in f.items() if k in names})
                       for f in v[key]),
                 key == "stack-frames", v.get("pid", 0))


def value_of(v: Any) -> Value:
    """A value of the schema, typed."""
    if not isinstance(v, dict):
        scalar: Value = v
        return scalar
    for key in ("ustack-frames", "stack-frames"):
        if key in v:
            return _stack(v, key)
    if "sym" in v:
        return Symbol(v["sym"], v.get("object", ""), v.get("name", ""),
                      v.get("offset", 0), v.get("address", 0))
    if "bytes" in v:
        return bytes.fromhex(v["bytes"])
    if "message" in v:
        return Message(v["message"], v.get("format", ""),
                       tuple(value_of(a) for a in v.get("arguments", ())))
    if "type" in v:
        return Printed(v["type"], v["value"])
    if set(v) == {"value"}:
        return value_of(v["value"])
    return v


def _buckets(v: List[Dict[str, int]]) -> Tuple[Bucket, ...]:
    """From the last to the first, as each but the last ends where the next
    begins."""
    out: List[Bucket] = []
    for b in reversed(v):
        high = out[-1].low if out else b.get("limit")
        if "below" in b:
            out.append(Bucket(None, b["count"], b["below"]))
        elif "nearer" in b:
            out.append(Bucket(0, b["count"], b["nearer"]))
        else:
            out.append(Bucket(b["value"], b["count"], high))
    return tuple(reversed(out))


def aggregation_of(v: Dict[str, Any]) -> Aggregation:
    function = v["function"]
    a = Aggregation(v["aggregation-name"], function)
    for r in v["aggregation-data"]:
        value = (Histogram(_buckets(r["buckets"]))
                 if "buckets" in r else r[function])
        a.rows.append(Row(tuple(value_of(k) for k in r["keys"]), value))
    return a


def _record(e: Dict[str, Any]) -> Record:
    who: Dict[str, Any] = {}
    values: List[Value] = []
    aggs: List[Aggregation] = []
    status: Optional[int] = None
    for v in e["output"]:
        if "aggregation-name" in v:
            aggs.append(aggregation_of(v))
        elif "exit-status" in v:
            status = v["exit-status"]
        elif "tid" in v and "execname" in v:
            who = v
        else:
            values.append(value_of(v))
    return Record(e["timestamp"], e["cpu"], e["id"], e["provider"],
                  e["module"], e["function"], e["name"], tuple(values),
                  tuple(aggs), who.get("pid"), who.get("tid"),
                  who.get("execname"), e.get("flow"), status)


def parse(line: str) -> Union[Event, List[Aggregation]]:
    """A line of structured output: an event, or aggregations."""
    e = json.loads(line)
    if e["id"] != -1:
        return _record(e)
    kind = e["name"]
    if kind == "AGGREGATION":
        return [aggregation_of(v) for v in e["output"]]
    if kind == "DROP":
        return Drop(e["kind"], e["count"], e["total"], e["cpu"], e["msg"])
    if kind == "ERROR":
        p = e["probe"]
        return Fault(":".join((p["provider"], p["module"], p["function"],
                               p["name"])),
                     e["fault"], e["address"], e["msg"])
    return ProcessEnd(e["pid"], e.get("status"), e.get("signal"))
