# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What torture's workloads are: a row each, in `run` and in programs.py."""

CLAUSES = {
    # name: (D program; {m} is the module to probe), started programs only?
    "entry": "pid$target:{m}::entry {{ @ = count(); }}",
    "return": "pid$target:{m}::return {{ @[probefunc] = count(); }}",
    "both": "pid$target:{m}::entry,pid$target:{m}::return"
            " {{ @[probefunc, probename] = count(); }}",
    "latency": "pid$target:{m}::entry {{ self->t = timestamp; }}"
               " pid$target:{m}::return /self->t/"
               " {{ @ = quantize(timestamp - self->t); self->t = 0; }}",
    "record": "pid$target:{m}::entry {{ printf(\"%s %d\\n\", probefunc, tid); }}",
    "stack": "pid$target:{m}::entry /++n % 97 == 0/ {{ @[ustack(6)] = count(); }}",
    "assoc": "pid$target:{m}::entry {{ a[tid, probefunc] = timestamp; }}"
             " pid$target:{m}::return {{ a[tid, probefunc] = 0; }}",
    "later": "pid$target:libloaded*::entry"
             " {{ @[probemod, probefunc] = count(); }}"
             " pid$target:libloaded*::return {{ @n = count(); }}",
    "syscall": "syscall:::entry,syscall:::return {{ @[probefunc] = count(); }}",
    "insns": "pid$target:{m}:t_*:entry,pid$target:{m}:t_*:return,"
             "pid$target:{m}:t_*: {{ @[probefunc, probename] = count(); }}",
    "profile": "profile-499 {{ @[ustack(4)] = count(); }}"
               " pid$target:{m}::entry {{ @n = count(); }}",
}


ENDS = ["exit", "int", "kill", "kill", "guard"]
# A thread under a filter makes calls for us only as long as its tracer, the
# guardian, lives: doc/limits-process.md.
FILTERED = ["exit", "int", "kill", "kill"]


class Workload:
    """A program whose output and status are the same each time, and how it is
    traced."""

    def __init__(self, name, argv, module="a.out", needs=None, clauses=None,
                 stdin=None, within=None, memory=None, ends=ENDS, landings=0,
                 whom=None, status=None):
        self.name, self.argv, self.module = name, argv, module
        self.needs, self.stdin = needs or argv[0], stdin
        self.within = within  # a command that runs it as its child
        self.memory = memory  # MB of its memory cgroup, where there can be one
        self.clauses = clauses or sorted(set(CLAUSES) - {"insns"})
        self.ends = ends  # of consumers
        self.landings = landings  # mappings of punned jumps, at most
        # A pattern of command lines: one of the program's processes that fit is
        # drawn by lot each time.  None: the program itself.
        self.whom = whom
        self.status = status  # it ends with it; None: whatever that is
