# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch programs in Java, JavaScript, Ruby, Tcl and Perl.  What is not
installed is left out."""
import atexit
import glob
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from toolkit import Skip, tool

JAVA = """
public class T {
	static class Late { static int n = 1; }
	static int f(int n) {
		int s = 0;
		for (int i = 0; i < n; i++)
			s += i * Late.n;
		return s;
	}
	public static void main(String[] a) throws Exception {
		Object lock = new Object();
		for (int k = 0; k < 3; k++) {
			Thread t = new Thread(() -> { synchronized (lock) { } },
			    "worker-" + k);
			synchronized (lock) {
				t.start();
				while (t.getState() != Thread.State.BLOCKED)
					Thread.sleep(1);
			}
			t.join();
		}
		int s = 0;
		for (int i = 0; i < 20000; i++)
			s += f(i % 100);
		for (int i = 0; i < 4; i++)
			System.gc();
		System.exit(s == 0 ? 1 : 0);
	}
}
"""
compiled = []


def java():
    """A command: three threads that wait for a monitor, four collections, a
    class that is loaded late and a method that is worth compiling."""
    for lib in sorted(glob.glob("/usr/lib/jvm/*/lib/server/libjvm.so")):
        home = Path(lib).parents[2]
        if (home / "bin/javac").exists() and \
                b"stapsdt\0" in Path(lib).read_bytes():
            break
    else:
        raise Skip("no JDK with probes")
    if not compiled:
        where = Path(tempfile.mkdtemp(prefix="dt-java-"))
        atexit.register(shutil.rmtree, where, ignore_errors=True)
        where.chmod(0o755)
        (where / "T.java").write_text(JAVA)
        subprocess.run([home / "bin/javac", "T.java"], cwd=where, check=True)
        compiled.append(where)
    return f"{home}/bin/java -XX:+UseSerialGC -XX:+DTraceMonitorProbes " \
        f"-cp {compiled[0]} T"


FULL = "MarkSweepCompact"  # what the serial collector calls one of everything


@tool("javagc", "ptrace")
def javagc(t):
    r = t.run("-c", java(), user=True)
    kinds = [x.get("COLLECTOR") for x in r.table("AT(ms)")]
    assert kinds.count(FULL) == 4, r.out + r.err
    assert f"{FULL}, ms:" in r.out, r.out + r.err


@tool("gcsnoop", "ptrace")
def gcsnoop_java(t):
    r = t.run("-c", java(), user=True)
    got = [(x["RUNTIME"], x["WHAT"]) for x in r.table("AT(ms)")]
    assert got.count(("java", FULL)) == 4, r.out + r.err


@tool("javathreads", "ptrace")
def javathreads(t):
    r = t.run("-c", java(), user=True)
    rows = [x for x in r.table("WHAT") if x["NAME"].startswith("worker-")]
    assert [(x["WHAT"], x["NAME"]) for x in rows] == \
        [(w, f"worker-{k}") for k in range(3) for w in ("begin", "end")], r.out + r.err
    assert all(x["DAEMON"] == "no" for x in rows), r.out + r.err
    assert all(x["LIVED(ms)"].isdigit() for x in rows[1::2]), r.out + r.err
    assert any(x["DAEMON"] == "yes" for x in r.table("WHAT")), r.out + r.err


@tool("javaclasses", "ptrace")
def javaclasses(t):
    r = t.run("-c", java(), user=True)
    rows = r.table("WHAT")
    assert [(x["WHAT"], x["SHARED"]) for x in rows
            if x["CLASS"] == "T$Late"] == [("loaded", "no")], r.out + r.err
    shown = sum(x["SHARED"] == "no" for x in rows if x["WHAT"] == "loaded")
    counted = r.out.strip().split("\n")[-2:]
    assert f"loaded no {shown}" in [" ".join(s.split()) for s in counted], r.out + r.err


@tool("javacompile", "ptrace")
def javacompile(t):
    r = t.run("-c", java(), "0", "10000", user=True)
    top, n = r.out.strip().split("\n\n")
    methods = [line.split()[-1] for line in top.splitlines()[1:]]
    assert "T.f" in methods, r.out + r.err
    compiled = sum(int(s.split()[1]) for s in n.splitlines()[1:])
    assert compiled >= len(methods), r.out + r.err


@tool("javavmops", "ptrace")
def javavmops(t):
    r = t.run("-c", java(), user=True)
    got = {x["OPERATION"]: int(x["TIMES"]) for x in r.table("TIMES")}
    full = [n for k, n in got.items() if k.startswith("GenCollectFull") or
            k.startswith("SerialGCCollect")]
    assert full == [4], r.out + r.err


@tool("javalocks", "ptrace")
def javalocks(t):
    r = t.run("-c", java(), user=True)
    row = {x["CLASS"]: x for x in r.table("WAITS")}["java/lang/Object"]
    assert row["WAITS"] == "3", r.out + r.err
    assert int(row["TIME(us)"]) > 0, r.out + r.err


def node_exe():
    exe = shutil.which("node", path=os.defpath)
    if exe is None:
        raise Skip("no node")
    return exe


def node(t):
    """Five collections of everything, three of young objects."""
    exe = node_exe()
    js = t.file("gc.js", "for (let i = 0; i < 5; i++) gc();\n"
                "for (let i = 0; i < 3; i++) gc({type: 'minor'});\n")
    return f"{exe} --expose-gc {js}"


@tool("nodegc", "ptrace")
def nodegc(t):
    cmd = node(t)
    r = t.run("-c", cmd, user=True)
    n = sum(int(x["RUNS"]) for x in r.table("SPACE"))
    assert n >= 8 and sum(r.histogram().values()) == n, r.out + r.err


HTTP = """
const http = require("http");
const agent = new http.Agent({ keepAlive: true });
const server = http.createServer((req, res) => {
  if (req.url === "/slow") setTimeout(() => res.end("slow"), 50);
  else if (req.url === "/none") { res.statusCode = 404; res.end(); }
  else { req.resume(); req.on("end", () => res.end("x".repeat(100000))); }
});
function ask(method, path, body) {
  return new Promise((ok) => http.request({ port: server.address().port,
    method, path, agent }, (res) => { res.resume(); res.on("end", ok); })
    .end(body));
}
server.listen(0, "127.0.0.1", async () => {
  for (let i = 0; i < 3; i++) await ask("GET", "/n?i=" + i);
  await ask("POST", "/form", "a=b");
  await ask("GET", "/slow");
  await ask("GET", "/none");
  agent.destroy();
  server.close();
});
"""


def nodehttp_of(t, user):
    r = t.run("-c", f"{node_exe()} {t.file('http.js', HTTP)}", user=user)
    rows = r.table("AT(ms)")
    want = [("200", "GET", f"/n?i={i}") for i in range(3)] + [
        ("200", "POST", "/form"), ("200", "GET", "/slow"),
        ("404", "GET", "/none")]
    for way in ("in", "out"):
        got = [x for x in rows if x["WAY"] == way]
        assert [(x["STATUS"], x["METHOD"], x["PATH"]) for x in got] == want, \
            r.out + r.err
        # A timer of libuv may be a millisecond early.
        assert float(got[4]["TOOK(ms)"]) >= 48, r.out


@tool("nodehttp", "ptrace")
def nodehttp(t):
    nodehttp_of(t, True)


@tool("nodehttp", "bpf")
def nodehttp_root(t):
    nodehttp_of(t, False)


RUBY = """
class Foo
  def bar(n) n + 1 end
  def self.baz(s) s.upcase end
end
TracePoint.new {}.enable
f = Foo.new
60.times { |i| f.bar(i) }
7.times { Foo.baz("x") }
5.times { GC.start }
"""


def ruby(t):
    exe = shutil.which("ruby", path=os.defpath)
    libs = glob.glob("/usr/lib/*/libruby*.so.*")
    if exe is None or not any(b"stapsdt\0" in Path(p).read_bytes()
                              for p in libs):
        raise Skip("no ruby with probes")
    return f"{exe} --disable-gems {t.file('work.rb', RUBY)}"


@tool("rubycalls", "ptrace")
def rubycalls(t):
    r = t.run("-c", ruby(t), "0", "1000", user=True)
    got = {(x["IN"], x["CLASS"], x["METHOD"]): int(x["CALLS"])
           for x in r.table("CALLS")}
    assert got["ruby", "Foo", "bar"] == 60, r.out + r.err
    assert got["ruby", "Foo", "baz"] == got["c", "String", "upcase"] == 7, \
        r.out + r.err


@tool("rubygc", "ptrace")
def rubygc(t):
    r = t.run("-c", ruby(t), user=True)
    rows = {x["WHAT"]: x for x in r.table("WHAT")}
    assert int(rows["mark"]["STEPS"]) >= 5, r.out + r.err
    assert int(rows["sweep"]["TIME(us)"]) > 0, r.out + r.err


@tool("tclcalls", "ptrace")
def tclcalls(t):
    if shutil.which("tclsh8.6") is None:
        raise Skip("no tclsh8.6")
    work = t.file("work.tcl", "proc foo {n} { return [string length $n] }\n"
                  "for {set i 0} {$i < 50} {incr i} { foo $i }\n")
    r = t.run("-c", f"tclsh8.6 {work}", "0", "1000", user=True)
    got = {x["COMMAND"]: x["CALLS"] for x in r.table("CALLS")}
    assert got["foo"] == "50" and "proc" in got, r.out + r.err


@tool("perlops", "ptrace")
def perlops(t):
    if shutil.which("perl") is None:
        raise Skip("no perl")
    work = t.file("work.pl", 'sub foo { return $_[0] . "x" }\n'
                  "for my $i (1 .. 60) { foo($i) }\n")
    r = t.run("-c", f"perl {work}", "0", "1000", user=True)
    got = {x["OPERATION"]: int(x["COUNT"]) for x in r.table("COUNT")}
    if not got:
        raise Skip("perl has no symbols")
    assert (got["entersub"], got["iter"]) == (60, 61), r.out + r.err
