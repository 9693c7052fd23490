#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""man-tables.py - a manual page from its template and the tables.

usage: man-tables.py SOURCE_ROOT TEMPLATE [OUTPUT]

What a page says of built-in variables, subroutines, actions, aggregating
functions, faults, tags and of the D library stands in the tables (src/*/*.def)
and in dlib/*.d.  A template is mdoc(7) with lines of these forms:

    @var NAME ...      head of an entry: the variables, with their type
    @subr NAME         the prototype of a subroutine
    @act NAME ...      the prototypes of actions
    @agg NAME          the prototype of an aggregating function
    @inline NAME ...   prototypes of inlines of the D library
    @struct NAME       members of a struct of the D library, as declared there
    @constants FILE    names of the constants that a D library file has
    @noact, @nosubr    a table: what other systems have, and why not here
    @fault, @tag, @notag, @kw, @reg, @type, @proc, @stability    whole tables

The text below an entry is the template's.  Without OUTPUT nothing is written,
but the template must use every row of each kind of entry that it uses at all;
so a new row wants its words in the manual.
"""
import re
import sys
from pathlib import Path

ENGINE = {"IK": "In the kernel engine only.",
          "K": "In the kernel engine only.",
          "P": "In the process engine only."}
STRING = r'"((?:[^"\\]|\\.)*)"'


def esc(text):
    """Text as mdoc wants it in a line of text or as an argument."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def quoted(text):
    return '"' + esc(text).replace('"', '\\(dq') + '"'


def engines(**how):
    """The engines whose column of a variable is not NO, as other tables have
    them in one."""
    return "".join(e.upper() for e, h in how.items() if h != "NO") or "NONE"


class Tables:
    def __init__(self, root):
        self.root = Path(root)
        self.used = {}
        self.var = {n: (t, kind, engines(i=i, k=k, p=p), what)
                    for n, t, kind, i, k, p, what in
                    self.rows("src/dif/var.def",
                              r"^VAR\(\w+, (\w+), " + STRING +
                              r", (\w+), \d+, (\w+), (\w+), (\w+), \w+, " +
                              r'"[^"]*", ' + STRING)}
        self.subr = {n: (p, eng) for n, p, eng in
                     self.rows("src/dif/subr.def",
                               r"^SUBR\(\d+, (\w+), " + STRING +
                               r", (\w+),")}
        self.act = {n: (p, eng) for n, p, eng in
                    self.rows("src/dif/act.def",
                              r'^ACT\(\w+, \w+, "(\w+)", \w+, ' + STRING +
                              r", (\w+)\)")}
        self.agg = dict(self.rows("src/dif/agg.def",
                                  r"^AGG\(\w+, (\w+), .*" + STRING + r"\)"))
        self.dlib = {p.name: p.read_text()
                     for p in sorted((self.root / "dlib").glob("*.d"))}
        self.inline = {}
        self.constant = {}
        for name, text in self.dlib.items():
            self.read_inlines(name, text)
        self.struct = {}
        for text in self.dlib.values():
            for body, name in re.findall(
                    r"^typedef struct \w+ \{\n(.*?)^\} (\w+);", text,
                    re.M | re.S):
                self.struct[name] = body
        del self.struct["dtrace_self_t"]  # it has no values

    def rows(self, path, pattern):
        found = re.findall(pattern, (self.root / path).read_text(), re.M)
        if not found:
            sys.exit(f"{path}: no rows are understood")
        return found

    def read_inlines(self, path, text):
        """Numbers are constants, kept with the comment over them; all else
        that has a name for users is an inline."""
        groups = []
        for m in re.finditer(r"/\*(.*?)\*/|^inline ([^=]*?)\s=\s([^;]*);", text,
                             re.M | re.S):
            if m.group(1) is not None:
                title = " ".join(re.sub(r"^ \*", "", m.group(1),
                                        flags=re.M).split())
                of_file = title.startswith((path, "SPDX"))
                groups.append(("" if of_file else title, []))
                continue
            head, value = m.group(2), m.group(3)
            name, params = re.search(r"(\w+)(\[.*\])?$", head).groups()
            if name.startswith("__"):
                continue
            if params is None and re.fullmatch(
                    r"-?(0x)?[0-9a-f]+|R_[A-Z0-9]+", value):
                groups[-1][1].append(name)
            else:
                self.inline[name] = head
        if any(names for _, names in groups):
            self.constant[path] = [g for g in groups if g[1]]

    def use(self, kind, name):
        table = getattr(self, kind)
        if name not in table:
            sys.exit(f"@{kind} {name}: there is no such row")
        if name in self.used.setdefault(kind, set()):
            sys.exit(f"@{kind} {name}: described twice")
        self.used[kind].add(name)
        return table[name]

    def unused(self):
        return [f"@{kind} {name}: missing" for kind in sorted(self.used)
                for name in getattr(self, kind)
                if name not in self.used[kind]]

    # ---- entries ----------------------------------------------------------

    def do_var(self, *names):
        rows = [self.use("var", n) for n in names]
        index = "[]" if rows[0][1] != "SCALAR" else ""
        typ = ("" if rows[0][1] == "ARGS" else
               f".Vt {quoted(rows[0][0])} Va ")
        head = " , ".join(n + index for n in names)
        head = ".It Va " + head if typ == "" else ".It " + typ[1:] + head
        note = ENGINE.get(rows[0][2])
        return [head] + ([note] if note else [])

    def prototype(self, proto):
        """".It Ft type Fn name arg ..." of "type name(arg, ...)"."""
        head, args = re.fullmatch(r"(.*?)\((.*)\)", proto).groups()
        ret, name = re.fullmatch(r"(?:(.*?)\s*)?(\w+)", head).groups()
        args = re.sub(r"\bstr\b", "string", args)
        # what may be left out follows its bracket
        parts = [a.strip() for a in args.replace(" [,", "[,").split(",")]
        parts = [p for p in parts if p]
        line = ".It " + (f"Ft {quoted(ret)} " if ret else "") + f"Fn {name}"
        return line + "".join(" " + quoted(re.sub(r"(?<=\S)\[", " [", p))
                              for p in parts)

    def do_subr(self, name):
        proto, eng = self.use("subr", name)
        note = ENGINE.get(eng)
        return [self.prototype(proto)] + ([note] if note else [])

    def do_act(self, *names):
        out = []
        for i, n in enumerate(names):
            proto, eng = self.use("act", n)
            out.append(self.prototype(proto))
        note = ENGINE.get(eng)
        return out + ([note] if note else [])

    def do_agg(self, name):
        return [self.prototype(self.use("agg", name))]

    def do_inline(self, *names):
        heads = []
        for n in names:
            typ, params = re.fullmatch(r"(.*?)\w+(\[.*\])?",
                                       self.use("inline", n)).groups()
            heads.append(f".It Vt {quoted(typ.strip())} Va "
                         f"{quoted(n + (params or ''))}")
        return heads

    def do_struct(self, name):
        out = [".Bd -literal -offset indent", f"typedef struct {{"]
        for line in self.use("struct", name).splitlines():
            text, _, comment = line.expandtabs(4).partition("/*")
            text = text.rstrip()
            if comment:
                text = f"{text:<32}/*{comment}"
            out.append(esc(text))
        return out + [f"}} {name};", ".Ed"]

    def do_constants(self, path):
        out = [f".It Pa {path}"]
        for title, names in self.use("constant", path):
            if out[1:]:
                out.append(".br")
            if title:
                out.append(esc(title.rstrip(".;") + ":"))
            out += [f".Dv {n} ," for n in names[:-1]]
            out.append(f".Dv {names[-1]}")
        return out

    # ---- tables -----------------------------------------------------------

    def pairs(self, path, macro, head):
        out = []
        for name, what in self.rows(path, r"^" + macro + r'\("?(\w+)"?, ' +
                                    STRING):
            out += [f".It {head} {name}", esc(what[0].upper() + what[1:]) +
                    "."]
        return out

    def do_noact(self):
        return self.pairs("src/dif/act.def", "NOACT", "Fn")

    def do_nosubr(self):
        return self.pairs("src/dif/subr.def", "NOSUBR", "Fn")

    def do_tag(self):
        return (self.pairs("src/lang/errtag.def", "TAG", "Er") +
                self.pairs("src/probe/errtag.def", "TAG", "Er"))

    def do_notag(self):
        return (self.pairs("src/lang/errtag.def", "NOTAG", "Er") +
                self.pairs("src/probe/errtag.def", "NOTAG", "Er"))

    def do_fault(self):
        return [f".It {n} Ta {name} Ta {esc(what)}" for n, name, what in
                self.rows("src/dif/fault.def",
                          r"^FAULT\((\d+), (\w+), " + STRING)]

    def do_kw(self):
        text = (self.root / "src/lang/kw.def").read_text()
        rows = re.findall(r"^KW\((\w+), ([^)]*)\)", text, re.M)
        return [f".Li {n}" + (" *" if "RESERVED" in f else "")
                for n, f in rows]

    def do_reg(self):
        return self.regs("x86_64")

    def do_reg_aarch64(self):
        return self.regs("aarch64")

    def regs(self, machine):
        text = (self.root / f"src/dif/reg_{machine}.def").read_text()
        return [f".Dv R_{n} ," for n in re.findall(r"REG\(\d+, (\w+)\)",
                                                   text)]

    def do_type(self):
        return [f".It Vt {n} Ta {esc(t)}" for n, t in
                self.rows("src/type/typedef.def",
                          r"^TYPEDEF\((\w+), " + STRING)]

    def providers(self):
        """(name, True if it is a table) of each provider."""
        return [(n, kind == "TABLE") for kind, n in
                re.findall(r"^(PROV|TABLE)\((\w+)\)",
                           (self.root / "src/prov/prov.def").read_text(),
                           re.M)]

    def table(self, name):
        """What a provider's table is about, and its five stabilities."""
        text = (self.root / f"src/prov/{name}.def").read_text()
        row = re.search(r'^PROVIDER\("([^"]*)",(.*?)\)$', text, re.M | re.S)
        if not row:
            sys.exit(f"src/prov/{name}.def: no PROVIDER is understood")
        return row.group(1), re.findall(r'"([^"]*)"', row.group(2))

    def do_tables(self):
        return [line for name, is_table in self.providers() if is_table
                for line in self.table_section(name)]

    def table_section(self, name):
        out = [f".Ss {name}",
               f"{esc(self.table(name)[0])}; in the kernel engine only."]
        own_page = (self.root / f"man/dtrace_{name}.4").exists()
        if own_page:
            out += ["What each probe means is told in",
                    f".Xr dtrace_{name} 4 ."]
        out += [".Bl -tag -width Ds"]
        for probe, args, what in self.table_probes(name):
            if not what and not own_page:
                sys.exit(f"src/prov/{name}.def: {probe}: no comment /** over "
                         "it says what it means")
            out += [f".It Cm {probe}"] + ([esc(what)] if what else [])
            out += [".br"] if what and args else []
            if args:
                out += [".Va args[] :"] + \
                    [f".Vt {quoted(a)}" + " ," * (i < len(args) - 1)
                     for i, a in enumerate(args)]
        return out + [".El"]

    def table_probes(self, name):
        """Name, types of arguments and meaning of each probe.  A table may
        have a word of its own for PROBE with the arguments that it gives."""
        path = f"src/prov/{name}.def"
        text = (self.root / path).read_text()
        words = {word: self.types(args) for word, args in
                 re.findall(r'^#define (\w+)\(id, name\)[ \t\\\n]*'
                            r'PROBE\(id, "", name,((?:.*\\\n)*.*)\)$',
                            text, re.M)}
        out = {}
        for what, word, row, probe, args in re.findall(
                r'(?:^/\*\*((?:(?!\*/).)*)\*/\n)?^(\w+)'
                r'\((\w+), (?:"\w*", )?"([\w-]+)"(,.*?)?\)$',
                text, re.M | re.S):
            if word == "PROBE" or word in words:
                out[row] = (probe, words.get(word, self.types(args)),
                            " ".join(what.split()))
        for row in re.findall(r"^SITE\((\w+),", text, re.M):
            if row not in out:
                sys.exit(f"{path}: the probe of SITE({row}) is not understood")
        if not out:
            sys.exit(f"{path}: no probes are understood")
        return out.values()

    def types(self, args):
        return [x or t for t, x in
                re.findall(r'\{ "([^"]*)"(?:, "([^"]*)")?', args)]

    def do_cpc(self):
        who = {"SOFTWARE": "the kernel"}
        return [f".It Cm {n} Ta {who.get(t, 'the processor')}" for n, t in
                self.rows("src/prov/cpc.def", r"^CPC\((\w+),\s+(\w+)")]

    def code_attr(self, name):
        text = (self.root / f"src/prov/prov_{name}.c").read_text()
        return [re.search(r"\." + part + r' = "(\w+/\w+/\w+)"',
                          text).group(1)
                for part in ("prov", "mod", "func", "name", "args")]

    def do_stability(self):
        out = []
        for name, is_table in self.providers():
            attr = self.table(name)[1] if is_table else self.code_attr(name)
            out += [f".It Sy {name} Ta {attr[0]} Ta {attr[1]}",
                    f".It Ta {attr[2]} Ta {attr[3]}",
                    f".It Ta {attr[4]} Ta \\&"]
        return out


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    tables = Tables(sys.argv[1])
    out = []
    for line in Path(sys.argv[2]).read_text().splitlines():
        if line.startswith("@"):
            kind, *args = line[1:].split()
            try:
                out += getattr(tables, "do_" + kind)(*args)
            except AttributeError:
                sys.exit(f"{line}: no such form")
        else:
            out.append(line)
    for a, b in zip(out, out[1:]):
        if re.match(r"\.Bl |\.It Sy .* Ta Sy ", a) and b == ".El":
            sys.exit("a list or table of the page is empty")
    if len(sys.argv) == 4:
        Path(sys.argv[3]).write_text("\n".join(out) + "\n")
    elif tables.unused():
        sys.exit("\n".join(tables.unused()))


if __name__ == "__main__":
    main()
