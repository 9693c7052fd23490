#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Are the numbers of the D library those of the C headers?

usage: check-dlib-constants.py CC FILE.d ...

Every `inline TYPE NAME = number;` is compared with what a C program prints for
NAME, but for the names below, which are DTrace's own or those of the kernel's
sources and so stand in no header.
"""
import os
import re
import subprocess
import sys
import tempfile

HEADERS = """errno.h signal.h fcntl.h unistd.h sched.h poll.h stdio.h
sys/file.h sys/mman.h sys/socket.h sys/stat.h sys/wait.h netinet/in.h
netinet/tcp.h sys/syscall.h""".split()

# By file: names that no header has; names with two underscores are the library's.
OWN = {
    "io.d": r"B_[A-Z]+",
    "lockstat.d": r"RW_(READER|WRITER)",
    "net.d": r"IPPROTO_OSPF",
    "procfs.d": r"PR_[A-Z0-9_]+|SOBJ_[A-Z_]+|S(SLEEP|RUN|ZOMB|STOP|IDL|ONPROC|WAIT)"
                r"|PBIND_NONE|PS_NONE",
    "tcp.d": r"TCP_STATE_[A-Z0-9_]+|TH_(PSH|ECE|CWR)",
    "unistd.d": r"DTRACEFLT_LIBRARY",
}
CONSTANT = re.compile(
    r"^inline \w+ (\w+) = (-?(?:0x[0-9a-f]+|[0-9]+));$", re.M)


def number(text):
    if re.fullmatch(r"0[0-7]+", text):
        return int(text, 8)
    return int(text, 0)


def constants(path):
    own = OWN.get(os.path.basename(path), "")
    with open(path) as f:
        found = CONSTANT.findall(f.read())
    return [(name, number(val)) for name, val in found
            if not re.fullmatch(own, name) and not name.startswith("__")]


def in_c(cc, names):
    """name -> value, as C has it."""
    with tempfile.TemporaryDirectory() as tmp:
        src, exe = os.path.join(tmp, "c.c"), os.path.join(tmp, "c")
        with open(src, "w") as f:
            f.write("#define _GNU_SOURCE\n")
            f.writelines(f"#include <{h}>\n" for h in HEADERS)
            f.write("int main(void)\n{\n")
            f.writelines(f'\tprintf("{n} %lld\\n", (long long)({n}));\n'
                         for n in names)
            f.write("}\n")
        subprocess.run([*cc.split(), "-o", exe, src], check=True)
        out = subprocess.run([exe], check=True, stdout=subprocess.PIPE,
                             text=True).stdout
    return {n: int(v) for n, v in (line.split() for line in out.splitlines())}


def main():
    cc, *paths = sys.argv[1:]
    all_of = {path: constants(path) for path in paths}
    values = in_c(cc, sorted({n for v in all_of.values() for n, _ in v}))
    wrong = [f"{path}: {n} is {values[n]}, not {v}"
             for path, found in all_of.items() for n, v in found
             if values[n] != v]
    print(f"{sum(map(len, all_of.values()))} constants, {len(wrong)} wrong")
    print("\n".join(wrong))
    sys.exit(bool(wrong) or not values)


main()
