#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""completion.py - shell completion from its template and the options.

usage: completion.py OPT_DEF CMD_USAGE_C FIELDS_AWK TEMPLATE OUTPUT

Options are the rows of opt.def that are served, the words of their values are
those of their kind there; flags and what they are for are those of the usage
text in cmd_usage.c.
"""
import re
import sys
from pathlib import Path

WORDS = {"NUM": [], "SIZE": [], "RATE": [], "STR": [], "CPPARG": [],
         "LIBDIR": [], "SETENV": [], "UNSETENV": [], "VERSION": [],
         "LOCKMEM": ["unlimited"]}
FLAGS = ("FLAG", "CFLAG", "NOCFLAG")
# What -O takes: these alone, and pictures, which have a file and words behind it.
TEXTS = "json", "jsonl", "folded"
PICTURES = "flame", "folded", "html", "perfetto", "pprof", "speedscope"
# What the argument of a flag is, to zsh; a blank before an action: it is
# called without the arguments that zsh would add.
ZSH = {"b": "size:", "c": "command:_command_names -e", "D": "name:",
       "f": "function: _dtrace_fields 3", "i": "probe: _dtrace_ids",
       "I": "directory:_directories", "L": "directory:_directories",
       "m": "module: _dtrace_fields 2", "n": "probe: _dtrace_fields 4",
       "o": "file:_files", "O": "format: _dtrace_format", "p": "process:_pids",
       "P": "provider: _dtrace_fields 1", "s": "script:_files",
       "U": "name:", "x": "option: _dtrace_option", "X": "mode:(a c s t)"}


def options(text):
    """[(name, words or None for a flag)] of the options that are served."""
    kinds = dict(WORDS)
    for kind, words in re.findall(r"\b([A-Z]+)\s*\(([a-z0-9 ]+)\)",
                                  re.sub(r"\n \*\s+", " ", text)):
        if all(len(w) > 2 for w in words.split()) and kind not in kinds:
            kinds[kind] = words.split()
    found = []
    for name, kind, cls, arg in re.findall(
            r"^OPT\((\w+), *(\w+), *(\w+), *[^,]*, *([^,]*),", text, re.M):
        if cls == "NONE":
            continue
        if name == "stdc":
            found.append((name, ["a", "c", "s", "t"]))
        elif kind in FLAGS or name == "cpphdrs":
            found.append((name, None))
        else:
            found.append((name, kinds[kind]))
    return found


def flags(text):
    """[(letter, what for)] of the usage text."""
    return re.findall(r'^"\\t-(\w)  ([^"]*)\\n"', text, re.M)


def main():
    opt, usage, fields, template = (Path(a).read_text()
                                    for a in sys.argv[1:5])
    opts, letters = options(opt), flags(usage)
    awk = "\n".join(line for line in fields.strip().splitlines()
                    if not line.startswith("#"))
    valued = [(n, w) for n, w in opts if w]
    fish = {"b": "-x", "c": "-x -a '(__fish_complete_command)'", "D": "-x",
            "f": "-x -a '(__dtrace_fields 3)'", "i": "-x -a '(__dtrace_ids)'",
            "m": "-x -a '(__dtrace_fields 2)'", "U": "-x",
            "n": "-x -a '(__dtrace_fields 4)'",
            "P": "-x -a '(__dtrace_fields 1)'",
            "I": "-x -a '(__fish_complete_directories)'",
            "L": "-x -a '(__fish_complete_directories)'",
            "o": "-r -F", "s": "-r -F",
            "O": "-x -a '(__dtrace_formats)'",
            "p": "-x -a '(__fish_complete_pids)'",
            "x": "-x -a '(__dtrace_options)'", "X": "-x -a 'a c s t'"}
    out = {
        "TEXTS": " ".join(TEXTS), "PICTURES": " ".join(PICTURES),
        "FISHVALUES": " ".join(f"{n}={w}" for n, ws in valued for w in ws),
        "FISHARGS": "\n".join(
            f"complete -c dtrace -n 'not __dtrace_tool' -s {c} "
            f"{fish.get(c, '-f')} -d '{what}'" for c, what in letters),
        "FIELDS": awk,
        "FLAGS": " ".join(f"-{c}" for c, _ in letters),
        "OPTIONS": " ".join(n if w is None else n + "=" for n, w in opts),
        "VALUES": "\n".join(
            f"\t{n}=*) compgen -P {n}= -W '{' '.join(w)}' -- "
            f'"${{1#*=}}" ;;' for n, w in valued),
        "ZVALUES": "\n".join(
            f"\t{n}=*) compset -P '*='; compadd {' '.join(w)}; return ;;"
            for n, w in valued),
        "ZFLAGS": " ".join(n for n, w in opts if w is None),
        "ZNAMES": " ".join(n for n, w in opts if w is not None),
        "ZARGS": "\n".join(
            f"\t'*-{c}{'+' if c in ZSH else ''}[{what}]"
            f"{':' + ZSH[c] if c in ZSH else ''}' \\"
            for c, what in letters),
    }
    for name, text in out.items():
        template = template.replace(f"@{name}@", text)
    Path(sys.argv[5]).write_text(template)


if __name__ == "__main__":
    main()
