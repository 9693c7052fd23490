#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""capabilities.py [WORD ...] - what this machine lets a test do.

Tests ask here what they need, and never the product: a product that is broken
would say "not permitted", and its tests would be skipped rather than fail.

Without words it prints one line for each capability: its name, and "yes" or
the reason why it is not there.  With words it ends with
  0    when all of them are there;
  77   (skip) when one is not, after a line "skip: WORD: reason";
  1    (failure) when one is not that DTRACE_REQUIRE names, after a line
       "required: WORD: reason".
DTRACE_REQUIRE is a list of words with commas between them, or "all" for every
capability.  It is for machines that are known to be able, such as that of
continuous integration: there a skip would hide a failure.

A word that is none of the table's is a file when it has a slash, and otherwise
the name of a program.  Python tests load this file and import missing(); whatever
they were begun by, what they start can be ended by ^C then (take_signals()).
"""
import ctypes
import os
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path

BPF, PERF_EVENT_OPEN = 321, 298  # numbers of system calls on x86-64
MAP_CREATE, PROG_LOAD, RAW_TP_OPEN = 0, 5, 17
MAP_ARRAY, PROG_RAW_TP = 2, 17
PTRACE_SEIZE = 0x4206
PERF_SOFTWARE, PERF_CLOCK = 1, 0
libc = ctypes.CDLL(None, use_errno=True)


def take_signals():
    """A script's background job ignores ^C, nohup hangups, and so would all that a
    test starts: dtrace heeds it."""
    for s, handler in ((signal.SIGINT, signal.default_int_handler),
                       (signal.SIGQUIT, signal.SIG_DFL), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(s) == signal.SIG_IGN:
            signal.signal(s, handler)


take_signals()


class Required(AssertionError):
    """Something is not there that DTRACE_REQUIRE says is there."""


def call(number, *args):
    """A system call; the result, or OSError with its errno."""
    r = libc.syscall(ctypes.c_long(number),
                     *[ctypes.c_long(a) if isinstance(a, int) else a
                       for a in args])
    if r < 0:
        err = ctypes.get_errno()
        raise OSError(err, os.strerror(err))
    return r


def bpf(command, attr):
    attr = ctypes.create_string_buffer(attr.ljust(144, b"\0"), 144)
    return call(BPF, command, attr, 144)


def insns(*rows):
    """BPF instructions from (code, dst, src, off, imm)."""
    return b"".join(struct.pack("<BBhi", code, src << 4 | dst, off, imm)
                    for code, dst, src, off, imm in rows)


def load(kind, code):
    """Load a program; its descriptor."""
    text = ctypes.create_string_buffer(code, len(code))
    licence = ctypes.create_string_buffer(b"GPL")
    return bpf(PROG_LOAD, struct.pack("<IIQQ", kind, len(code) // 8,
                                      ctypes.addressof(text),
                                      ctypes.addressof(licence)))


RETURN_0 = ((0xb7, 0, 0, 0, 0), (0x95, 0, 0, 0, 0))


def can_bpf():
    """A map, a program, and the program put on a raw tracepoint."""
    os.close(bpf(MAP_CREATE, struct.pack("<IIII", MAP_ARRAY, 4, 8, 1)))
    prog = load(PROG_RAW_TP, insns(*RETURN_0))
    name = ctypes.create_string_buffer(b"sys_enter")
    try:
        os.close(bpf(RAW_TP_OPEN, struct.pack("<QI", ctypes.addressof(name),
                                              prog)))
    finally:
        os.close(prog)


def can_write_user():
    """A program that calls bpf_probe_write_user()."""
    os.close(load(PROG_RAW_TP, insns(
        (0x7a, 10, 0, -8, 0),    # *(u64 *)(fp - 8) = 0
        (0xb7, 1, 0, 0, 0),      # r1 = 0: the address in the process
        (0xbf, 2, 10, 0, 0),     # r2 = fp - 8
        (0x07, 2, 0, 0, -8),
        (0xb7, 3, 0, 0, 8),      # r3 = 8
        (0x85, 0, 0, 0, 36),     # call bpf_probe_write_user
        *RETURN_0)))


def perf_open(kind, config, config1=0, config2=0, cpu=0):
    attr = struct.pack("<IIQQQQQIIQQ", kind, 112, config, 0, 0, 0, 0, 0, 0,
                       config1, config2)
    attr = ctypes.create_string_buffer(attr.ljust(112, b"\0"), 112)
    os.close(call(PERF_EVENT_OPEN, attr, -1, cpu, -1, 8))


def dynamic_event(name):
    kind = Path(f"/sys/bus/event_source/devices/{name}/type")
    if not kind.exists():
        raise OSError(f"the kernel has no {name} events")
    return int(kind.read_text())


def can_uprobe():
    path = ctypes.create_string_buffer(
        os.path.realpath(sys.executable).encode())
    perf_open(dynamic_event("uprobe"), 0, ctypes.addressof(path), 0)


def can_kprobe():
    symbol = ctypes.create_string_buffer(b"do_exit")
    perf_open(dynamic_event("kprobe"), 0, ctypes.addressof(symbol), 0)


def can_ptrace():
    """Seize a child."""
    child = subprocess.Popen(["sleep", "60"])
    try:
        if libc.ptrace(PTRACE_SEIZE, child.pid, None, None) != 0:
            err = ctypes.get_errno()
            raise OSError(err, os.strerror(err))
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()


def unshared(*flags):
    """A process in namespaces of its own."""
    r = subprocess.run(["unshare", *flags, "true"], stderr=subprocess.PIPE,
                       text=True)
    if r.returncode != 0:
        raise OSError(r.stderr.strip() or "unshare failed")


def can_pidns():
    """By privilege, or in a user namespace of its own."""
    try:
        unshared("-pf")
    except OSError:
        unshared("-Upf")


def can_ia32():
    """A program of 32 bits runs: exit(0), in an ELF file of 93 bytes."""
    code = b"\x31\xdb\x8d\x43\x01\xcd\x80"
    base, size = 0x08048000, 84 + len(code)
    elf = b"\x7fELF\1\1\1".ljust(16, b"\0") + struct.pack(
        "<HHIIIIIHHHHHH", 2, 3, 1, base + 84, 52, 0, 0, 52, 32, 1, 40, 0, 0)
    elf += struct.pack("<8I", 1, 0, base, base, size, size, 5, 0x1000) + code
    f = os.memfd_create("ia32", 0)
    os.write(f, elf)
    try:
        r = subprocess.run([f"/proc/self/fd/{f}"], pass_fds=[f])
    finally:
        os.close(f)
    if r.returncode != 0:
        raise OSError(f"a program of 32 bits ends with {r.returncode}")


def can_ipv6():
    import socket
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as s:
        s.bind(("::1", 0))


def there(path, why):
    def check():
        if not os.path.exists(path):
            raise OSError(why)
    return check


def can_root():
    if os.geteuid() != 0:
        raise OSError("the user is not root")


def can_tsc():
    """The kernel itself reads the time from the time stamp counter."""
    path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    source = Path(path).read_text().strip()
    if source != "tsc":
        raise OSError(f"the kernel's clock is {source}")


CAN = {
    "root": can_root,
    "bpf": can_bpf,
    "btf": there("/sys/kernel/btf/vmlinux", "the kernel has no BTF"),
    "write-user": can_write_user,
    "perf": lambda: perf_open(PERF_SOFTWARE, PERF_CLOCK),
    "uprobe": can_uprobe,
    "kprobe": can_kprobe,
    "ptrace": can_ptrace,
    "pidns": can_pidns,
    "mount-proc": lambda: unshared("-pfm", "--mount-proc"),
    "ia32": can_ia32,
    "ipv6": can_ipv6,
    "tsc": can_tsc,
}
found = {}


def lacking(word):
    """Why a capability is not there, or None."""
    if word not in found:
        try:
            if word in CAN:
                CAN[word]()
            elif "/" in word:
                there(word, f"there is no {word}")()
            elif shutil.which(word) is None:
                raise OSError(f"{word} is not installed")
            found[word] = None
        except OSError as e:
            found[word] = e.strerror or str(e)
    return found[word]


def required(word):
    words = os.environ.get("DTRACE_REQUIRE", "").replace(",", " ").split()
    return word in words or "all" in words


def missing(*words):
    """The first of the words that is not there, with the reason, as a line; or
    None.  Raises Required where DTRACE_REQUIRE names it."""
    for word in words:
        why = lacking(word)
        if why is not None and required(word):
            raise Required(f"required: {word}: {why}")
        if why is not None:
            return f"{word}: {why}"
    return None


def main():
    words = sys.argv[1:]
    if not words:
        for word in CAN:
            print(f"{word}: {lacking(word) or 'yes'}")
        return 0
    try:
        why = missing(*words)
    except Required as e:
        print(e)
        return 1
    if why:
        print("skip: " + why)
    return 77 if why else 0


if __name__ == "__main__":
    sys.exit(main())
