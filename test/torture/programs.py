# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Torture's workloads that are other people's programs: what makes machine code
while it runs, moves stacks or protects its pages, and servers under a load."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

from workload import FILTERED, Workload

HERE = Path(__file__).resolve().parent
SERVER = [sys.executable, str(HERE / "server.py")]


def ocaml(tmp):
    """The OCaml program, compiled where there is a compiler."""
    exe = os.path.join(tmp, "ocaml")
    if shutil.which("ocamlopt") and not os.path.exists(exe):
        source = shutil.copy(HERE / "torture.ml", tmp)
        subprocess.run(["ocamlopt", "-I", "+unix", "unix.cmxa", source, "-o",
                        exe], cwd=tmp, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return exe


def erlang(tmp):
    """Where the compiled Erlang module is."""
    if shutil.which("erlc"):
        subprocess.run(["erlc", "-o", tmp, str(HERE / "torture.erl")],
                       check=True)
    return tmp


def java(tmp):
    """Where the compiled Java class is."""
    if shutil.which("javac"):
        subprocess.run(["javac", "-d", tmp, str(HERE / "Torture.java")],
                       check=True)
    return tmp


def postgres():
    """The path of PostgreSQL's server; a name that is nowhere, where it is not."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    return str(found[-1]) if found else "postgres"


def languages(tmp, size):
    return [
        Workload("ocaml", [ocaml(tmp), size(100000)], needs="ocamlopt",
                 status=9),
        Workload("luajit", ["luajit", str(HERE / "torture.lua"), size(8000)],
                 status=4),
        Workload("sbcl", ["sbcl", "--script", str(HERE / "torture.lisp"),
                          size(500)], status=8),
        # What consumers of all of libjvm leave mapped is in the way of the next:
        # doc/limits-process.md.
        Workload("java", ["java", "-cp", java(tmp), "Torture", size(800)],
                 needs="javac", status=7, module="libjava.so",
                 clauses=["entry", "both", "latency", "stack", "syscall",
                          "profile"]),
        Workload("erlang", ["erl", "-noshell", "-noinput", "-pa", erlang(tmp),
                            "-s", "torture", "main", size(40000)],
                 needs="erlc", status=6, whom="beam"),
    ]


def servers(size):
    return [
        Workload("postgres", SERVER + ["postgres", size(2000)],
                 needs=postgres(), whom="^(/.*/)?postgres", status=0),
        Workload("redis", SERVER + ["redis", size(120000)],
                 needs="redis-server", whom="^redis-", status=0),
        Workload("nginx", SERVER + ["nginx", size(15000)],
                 needs="nginx", whom="^nginx", status=0),
        # What confines its renderers forbids what a guardian leaves.
        Workload("chromium", SERVER + ["chromium", size(20000000)],
                 needs="chromium", whom="--type=renderer", ends=FILTERED,
                 status=0, clauses=["syscall", "profile"]),
    ]


def programs(tmp, share):
    """All of them; of those whose program is not there nothing is made.  share: of
    the work of each that it does, 1 being some ten seconds of it."""
    def size(n):
        return str(int(n * share))
    languages_dir = os.path.join(tmp, "programs")
    os.makedirs(languages_dir, exist_ok=True)
    return languages(languages_dir, size) + servers(size)
