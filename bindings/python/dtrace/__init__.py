# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""DTrace for Linux from Python: D programs in, typed rows out.

    import dtrace
    r = dtrace.run("syscall:::entry { @[probefunc] = count(); }",
                   command=["ls", "/"])
    for row in r.aggregations["_"]:
        print(row.keys[0], row.value)

Session is for events as they come, AsyncSession for event loops.
"""
from ._rows import (Aggregation, Bucket, Drop, Event, Fault, Frame, Histogram,
                    Message, Printed, ProcessEnd, Record, Row, Stack, Symbol,
                    Value)
from ._session import (AsyncSession, DTraceError, Probe, Program, Result,
                       Session, probes, run)

__version__ = "0.1.0"
__all__ = ["Aggregation", "AsyncSession", "Bucket", "DTraceError", "Drop",
           "Event", "Fault", "Frame", "Histogram", "Message", "Printed",
           "Probe", "ProcessEnd", "Program", "Record", "Result", "Row",
           "Session", "Stack", "Symbol", "Value", "probes", "run"]
