# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch what a process asks of libraries, and files."""
import http.server
import os
import pty
import shutil
import subprocess
import threading

from toolkit import SLOW, Skip, quote, tool


@tool("envsnoop", "ptrace")
def envsnoop(t):
    r = t.run("-x", "setenv=DT_THERE=1", "-c", t.compile(r"""
#include <stdlib.h>
int main(void)
{
	for (int i = 0; i < 3; i++)
		getenv("DT_THERE");
	return getenv("DT_GONE") != 0 || getenv("DT_GONE") != 0;
}
"""), user=True)
    got = {x["NAME"]: (x["ASKED"], x["THERE"]) for x in r.table("ASKED")}
    assert got["DT_THERE"] == ("3", "3"), r.out
    assert got["DT_GONE"] == ("2", "0"), r.out


@tool("dnslookup", "ptrace")
def dnslookup(t):
    r = t.run("-c", t.compile(r"""
#include <netdb.h>
int main(void)
{
	struct addrinfo hint = { .ai_flags = AI_NUMERICHOST }, *a;
	for (int i = 0; i < 2; i++)
		getaddrinfo("127.0.0.1", 0, &hint, &a);
	getaddrinfo("no number", 0, &hint, &a);
	gethostbyname("127.0.0.2");
	return 0;
}
"""), user=True)
    got = [(x["NAME"], x["RESULT"]) for x in r.table("THREAD")]
    assert got == [("127.0.0.1", "0")] * 2 + [("no number", "-2"),
                                              ("127.0.0.2", "0")], r.out


@tool("dlopens", "ptrace")
def dlopens(t):
    r = t.run("-c", t.compile(r"""
#include <dlfcn.h>
int main(void)
{
	dlopen("libm.so.6", RTLD_NOW);
	dlopen("libm.so.6", RTLD_NOW);
	dlopen("libnowhere.so", RTLD_NOW);
	return dlopen(0, RTLD_NOW) == 0;
}
"""), user=True)
    got = [(x["LIBRARY"], x["RESULT"]) for x in r.table("THREAD")]
    assert got == [("libm.so.6", "loaded")] * 2 + [
        ("libnowhere.so", "failed"), ("<the program>", "loaded")], r.out


@tool("shellcmds", "ptrace")
def shellcmds(t):
    r = t.run("-c", t.compile(r"""
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	int s = system("exit 3");
	FILE *f = popen("true one", "r");
	pclose(f);
	return s == 0 || system("true two");
}
"""), user=True)
    got = [(x["FUNCTION"], x["STATUS"], x["COMMAND"])
           for x in r.table("THREAD")]
    assert got == [("system", "768", "exit 3"), ("popen", "-", "true one"),
                   ("system", "0", "true two")], r.out


@tool("zlibstat", "ptrace")
def zlibstat(t):
    r = t.run("-c", t.compile(r"""
#include <stdlib.h>
#include <zlib.h>
static unsigned char in[100000], out[200000], back[100000];
int main(void)
{
	for (int i = 0; i < 3; i++) {
		unsigned long n = sizeof(out), m = sizeof(back);
		if (compress(out, &n, in, sizeof(in)) != Z_OK ||
		    uncompress(back, &m, out, n) != Z_OK)
			return 1;
	}
	return 0;
}
""", "-lz"), user=True)
    got = {x["FUNCTION"]: x for x in r.table("FUNCTION")}
    for name, moved in (("deflate", "IN(bytes)"), ("inflate", "OUT(bytes)")):
        assert (got[name]["STREAMS"], got[name][moved]) == ("3", "300000"), \
            r.out
    assert got["deflate"]["OUT(bytes)"] == got["inflate"]["IN(bytes)"], r.out
    assert r.histogram()[0] == 3, r.out


TLS = """
import ssl
s = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
c = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
c.check_hostname = False
c.verify_mode = ssl.CERT_NONE
for x in (s, c):
    x.maximum_version = ssl.TLSVersion.TLSv1_2
    x.set_ciphers("aNULL:@SECLEVEL=0")
a, b = ssl.MemoryBIO(), ssl.MemoryBIO()
ends = (c.wrap_bio(b, a), s.wrap_bio(a, b, server_side=True))
done = set()
while len(done) < 2:
    for end in ends:
        try:
            end.do_handshake()
            done.add(end)
        except ssl.SSLWantReadError:
            pass
ends[0].write(b"a secret\\n")
ends[1].read(100)
ends[1].write(b"the answer")
ends[0].read(100)
"""


@tool("sslsniff", "ptrace")
def sslsniff(t):
    r = t.run("-c", t.python(TLS), user=True)
    got = [(x["CALL"], x["BYTES"], x["DATA"]) for x in r.table("THREAD")]
    assert got == [("write", "9", "-"), ("read", "9", "-"),
                   ("write", "10", "-"), ("read", "10", "-")], r.out
    r = t.run("-c", t.python(TLS), "data", user=True)
    got = [(x["CALL"], x["DATA"]) for x in r.table("THREAD")]
    assert got == [("write", "a secret\\n"), ("read", "a secret\\n"),
                   ("write", "the answer"), ("read", "the answer")], r.out


@tool("sqliteq", "ptrace")
def sqliteq(t):
    if shutil.which("sqlite3") is None:
        raise Skip("no sqlite3")
    t.file("q.sql", "create table t(a int);\n"
           "insert into t values(1),(2),(3);\ninsert into t values(4);\n" +
           "select * from t;\n" * 2 +
           "select count(*) from t where a > 2;\n")
    r = t.run("-c", quote("sqlite3", "-init", t.tmp / "q.sql", ":memory:",
                          ".quit"), user=True)
    got = {x["SQL"]: (x["RUNS"], x["ROWS"]) for x in r.table("RUNS")}
    if not got:
        raise Skip("sqlite3 has its library inside, without symbols")
    assert got["select * from t;"] == ("2", "8"), r.out
    assert got["insert into t values(1),(2),(3);"] == ("1", "0"), r.out
    assert got["select count(*) from t where a > 2;"] == ("1", "1"), r.out
    assert got["create table t(a int);"] == ("1", "0"), r.out
    assert int(got["(prepare)"][0]) >= 6 and "?" not in got, r.out


class Quiet(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


@tool("curlreq", "ptrace")
def curlreq(t):
    if shutil.which("curl") is None:
        raise Skip("no curl")
    with http.server.HTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = "http://127.0.0.1:%d" % server.server_port
        r = t.run("-c", f"curl -s {url}/one {url}/two http://127.0.0.1:0/",
                  user=True)
        server.shutdown()
    got = [(x["URL"], x["RESULT"] == "0") for x in r.table("THREAD")]
    assert got == [(url + "/one", True), (url + "/two", True),
                   ("http://127.0.0.1:0/", False)], r.out


@tool("bashreadline", "bpf", "uprobe")
def bashreadline(t):
    if shutil.which("bash") is None:
        raise Skip("no bash")
    p = t.start()
    leader, follower = pty.openpty()
    sh = subprocess.Popen(["bash", "--norc", "--noprofile", "-i"],
                          stdin=follower, stdout=follower, stderr=follower,
                          start_new_session=True,
                          env=dict(os.environ, HISTFILE="/dev/null"))
    t.started.append(sh)
    os.write(leader, b"echo some 'words here'\nexit\n")
    sh.wait(30 * SLOW)
    got = [(x["PID"], x["LINE"]) for x in times(t.stop(p))]
    os.close(leader)
    os.close(follower)
    if not got:
        raise Skip("bash has its readline elsewhere, or no symbols")
    assert [line for pid, line in got if pid == str(sh.pid)] == \
        ["echo some 'words here'", "exit"], got


def times(r):
    """The table of a result whose first column is a date of four words."""
    rows = [line.split(None, 6) for line in r.out.splitlines()[1:]]
    return [{"PID": x[4], "LINE": x[6]} for x in rows if len(x) == 7]


def sizes(t, user):
    r = t.run("-c", quote("dd", "if=/dev/zero", "of=/dev/null", "bs=100",
                          "count=1000", "status=none"), user=user)
    rows = {x["CALL"]: x for x in r.table("COMMAND")}
    assert (rows["write"]["CALLS"], rows["write"]["BYTES"]) == \
        ("1000", "100000"), r.out
    assert rows["write"]["COMMAND"] == "dd", r.out
    assert rows["write"]["FAILED"] == "0", r.out
    assert 1000 <= int(rows["read"]["CALLS"]) < 1010, r.out


@tool("rwsize", "ptrace")
def rwsize(t):
    sizes(t, True)


@tool("rwsize", "bpf")
def rwsize_root(t):
    sizes(t, False)
    r = t.run("-c", "cat /nowhere/at/all", status=0)
    assert r.table("COMMAND") is not None
    r = t.run("-c", "cat /", quiet=True)
    failed = {x["CALL"]: x["FAILED"] for x in r.table("COMMAND")}
    assert failed["read"] == "1", r.out  # EISDIR


@tool("fsyncs", "bpf")
def fsyncs(t):
    work = t.python(f"""
import os
f = os.open({str(t.tmp / "synced")!r}, os.O_CREAT | os.O_WRONLY)
for i in range(4):
    os.write(f, b"x")
    os.fsync(f)
os.fdatasync(f)
""")
    r = t.run("-c", work)
    got = {(x["CALL"], x["FILE"]): x for x in r.table("COMMAND")}
    assert got["fsync", "synced"]["CALLS"] == "4", r.out
    assert got["fdatasync", "synced"]["CALLS"] == "1", r.out
    r = t.run("-c", work, "0", "full")
    assert f"{t.tmp}/synced" in {x["FILE"] for x in r.table("COMMAND")}, r.out
