# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""libdtrace by ctypes: the functions that this package calls, and nothing else.

The library is libdtrace.so.1; DTRACE_LIBRARY names another file.  Its interface
is stable within that number (doc/stability.md), so these declarations need no
compiler when the package is installed.
"""
from __future__ import annotations

import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_int,
                    c_int64, c_size_t, c_uint, c_uint32, c_void_p)
from pathlib import Path
from typing import Any, Sequence

VERSION = 3
O_NODEV = 0x01
PROBESPEC_NONE = -1
PROBESPEC_NAME = 3
C_ZDEFS = 0x0004
C_PSPEC = 0x0080
WORK_ERROR, WORK_OKAY, WORK_DONE = -1, 0, 1


class ProbeDesc(Structure):
    """dtrace_probedesc_t"""
    _fields_ = [("id", c_uint32), ("provider", c_char * 64),
                ("mod", c_char * 64), ("func", c_char * 192),
                ("name", c_char * 64)]


class Attribute(Structure):
    """dtrace_attribute_t"""
    _fields_ = [("name", ctypes.c_uint8), ("data", ctypes.c_uint8),
                ("cls", ctypes.c_uint8)]


class ProgInfo(Structure):
    """dtrace_proginfo_t"""
    _fields_ = [("descattr", Attribute), ("stmtattr", Attribute),
                ("aggregates", c_uint), ("recgens", c_uint),
                ("matches", c_uint), ("speculations", c_uint)]


class BufData(Structure):
    """dtrace_bufdata_t"""
    _fields_ = [("handle", c_void_p), ("buffered", c_char_p),
                ("probe", c_void_p), ("recdesc", c_void_p),
                ("aggdata", c_void_p), ("flags", c_uint32)]


PROBE_F = CFUNCTYPE(c_int, c_void_p, POINTER(ProbeDesc), c_void_p)
BUFFERED_F = CFUNCTYPE(c_int, POINTER(BufData), c_void_p)
# Handlers whose data comes as structured output too.
NOTICE_F = CFUNCTYPE(c_int, c_void_p, c_void_p)
PROC_F = CFUNCTYPE(c_int, c_void_p, c_char_p, c_void_p)

_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "dtrace_open": (c_void_p, [c_int, c_int, POINTER(c_int)]),
    "dtrace_close": (None, [c_void_p]),
    "dtrace_errno": (c_int, [c_void_p]),
    "dtrace_errmsg": (c_char_p, [c_void_p, c_int]),
    "dtrace_errtag": (c_char_p, [c_void_p]),
    "dtrace_setopt": (c_int, [c_void_p, c_char_p, c_char_p]),
    "dtrace_getopt": (c_int, [c_void_p, c_char_p, POINTER(c_int64)]),
    "dtrace_probe_iter": (c_int, [c_void_p, POINTER(ProbeDesc), PROBE_F,
                                  c_void_p]),
    "dtrace_str2desc": (c_int, [c_void_p, c_int, c_char_p,
                                POINTER(ProbeDesc)]),
    "dtrace_program_strcompile": (c_void_p, [c_void_p, c_char_p, c_int,
                                             c_uint, c_int,
                                             POINTER(c_char_p)]),
    "dtrace_program_exec": (c_int, [c_void_p, c_void_p, POINTER(ProgInfo)]),
    "dtrace_program_info": (None, [c_void_p, c_void_p, POINTER(ProgInfo)]),
    "dtrace_proc_create": (c_void_p, [c_void_p, c_char_p, POINTER(c_char_p),
                                      c_void_p, c_void_p]),
    "dtrace_proc_grab": (c_void_p, [c_void_p, c_int, c_int]),
    "dtrace_proc_continue": (None, [c_void_p, c_void_p]),
    "dtrace_proc_pid": (c_int, [c_void_p]),
    "dtrace_go": (c_int, [c_void_p]),
    "dtrace_stop": (c_int, [c_void_p]),
    "dtrace_sleep": (None, [c_void_p]),
    "dtrace_exit_status": (c_int, [c_void_p]),
    "dtrace_work": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p,
                            c_void_p]),
    "dtrace_aggregate_snap": (c_int, [c_void_p]),
    "dtrace_aggregate_print": (c_int, [c_void_p, c_void_p, c_void_p]),
    "dtrace_aggregate_clear": (c_int, [c_void_p]),
    "dtrace_handle_err": (c_int, [c_void_p, NOTICE_F, c_void_p]),
    "dtrace_handle_drop": (c_int, [c_void_p, NOTICE_F, c_void_p]),
    "dtrace_handle_proc": (c_int, [c_void_p, PROC_F, c_void_p]),
    "dtrace_handle_buffered": (c_int, [c_void_p, BUFFERED_F, c_void_p]),
}


def _found() -> str:
    """The library's file: the one that is named, that of the build tree that
    this file lies in, or the one that is installed."""
    tree = Path(__file__).resolve().parents[3] / "build/src/lib/libdtrace.so.1"
    default = str(tree) if tree.exists() else "libdtrace.so.1"
    return os.environ.get("DTRACE_LIBRARY") or default


def load() -> ctypes.CDLL:
    """The library, with its functions declared.  OSError: it is not there."""
    lib = ctypes.CDLL(_found())
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(lib, name)
        function.restype = result
        function.argtypes = arguments
    return lib


def text(string: str) -> bytes:
    """char *.  ValueError: it would end at a NUL in the middle of the string."""
    if "\0" in string:
        raise ValueError("a string of DTrace cannot have a NUL: %r" % string)
    return os.fsencode(string)


def strings(words: Sequence[str]) -> Any:
    """char *[] with a NULL at its end.  TypeError: it is one string."""
    if isinstance(words, (str, bytes)):
        raise TypeError("a list of words is wanted, not %r" % words)
    array = (c_char_p * (len(words) + 1))()
    for i, word in enumerate(words):
        array[i] = text(word)
    return array
