# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch servers: PostgreSQL, Redis, nginx.  What is not installed is
left out."""
import atexit
import glob
import grp
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from toolkit import SLOW, Skip, tool


class Postgres:
    """A server of its own, once for all cases."""
    one = None

    @classmethod
    def get(cls, t):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
        if not found or b"stapsdt\0" not in Path(found[-1]).read_bytes():
            raise Skip("no postgres with probes")
        if shutil.which("psql") is None:
            raise Skip("no psql")
        if cls.one is None:
            cls.one = cls(os.path.dirname(found[-1]), t)
        return cls.one

    def __init__(self, bindir, t):
        who = {}
        self.dir = tempfile.mkdtemp(prefix="dt-pg-")
        if os.geteuid() == 0:
            try:
                p = pwd.getpwnam("postgres")
            except KeyError:
                raise Skip("no user postgres")
            os.chown(self.dir, p.pw_uid, p.pw_gid)
            who = dict(user=p.pw_uid, group=p.pw_gid, extra_groups=[])
        env = dict(os.environ, LC_ALL="C", TZ="UTC")
        subprocess.run([bindir + "/initdb", "-N", "-D", self.dir + "/db", "-A",
                        "trust", "-U", "tester"], check=True, env=env,
                       stdout=subprocess.DEVNULL, cwd=self.dir, **who)
        self.p = subprocess.Popen(
            [bindir + "/postgres", "-D", self.dir + "/db", "-c",
             "listen_addresses=", "-c", "unix_socket_directories=" + self.dir,
             "-c", "fsync=off", "-c", "deadlock_timeout=100ms",
             "-c", "autovacuum=off"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env,
            cwd=self.dir, **who)
        atexit.register(self.end)
        t.wait_for(lambda: os.path.exists(self.dir + "/.s.PGSQL.5432") and
                   self.ask("select 1") == 0, "server", 60)
        assert self.ask("create table needle (a int)") == 0

    def command(self, *queries):
        return ["psql", "-X", "-q", "-h", self.dir, "-U", "tester", "postgres",
                *(x for q in queries for x in ("-c", q))]

    def ask(self, *queries):
        return subprocess.run(self.command(*queries), check=False,
                              stdout=subprocess.DEVNULL, cwd="/",
                              stderr=subprocess.DEVNULL).returncode

    def end(self):
        self.p.terminate()
        self.p.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


@tool("pgquery", "bpf", "uprobe")
def pgquery(t):
    pg = Postgres.get(t)
    p = t.start()
    for i in range(4):
        pg.ask("insert into needle values (1)")
    pg.ask("select pg_sleep(0.2), 'needle'")
    r = t.stop(p)
    rows = {x["QUERY"]: x for x in r.table("CALLS")}
    assert rows["insert into needle values (1)"]["CALLS"] == "4", r.out
    row = rows["select pg_sleep(0.2), 'needle'"]
    assert row["CALLS"] == "1" and int(row["TIME(us)"]) >= 200000, r.out


@tool("pgslow", "bpf", "uprobe")
def pgslow(t):
    pg = Postgres.get(t)
    p = t.start("2000")
    pg.ask("select pg_sleep(2.1), 'needle'")
    pg.ask("select 'needle'")
    r = t.stop(p)
    got = [line for line in r.out.splitlines() if "needle" in line]
    assert len(got) == 1, r.out
    assert got[0].endswith("select pg_sleep(2.1), 'needle'"), r.out
    assert int(got[0].split()[5]) >= 2100, r.out


@tool("pgphases", "bpf", "uprobe")
def pgphases(t):
    pg = Postgres.get(t)
    p = t.start()
    pg.ask("select pg_sleep(0.2)", "select a from needle order by a")
    r = t.stop(p)
    rows = {x["PHASE"]: x for x in r.table("PHASE")}
    for phase in ("parse", "rewrite", "plan", "execute"):
        assert int(rows[phase]["COUNT"]) >= 2, r.out
    assert int(rows["sort"]["COUNT"]) >= 1, r.out
    assert int(rows["execute"]["LONGEST(us)"]) >= 200000, r.out


@tool("pgxact", "bpf", "uprobe")
def pgxact(t):
    pg = Postgres.get(t)
    p = t.start()
    client = t.spawn(*pg.command("select pg_backend_pid()",
                                 "begin; insert into needle values (1); "
                                 "select pg_sleep(0.2); commit",
                                 "select 1/0", "select 2/0", "select 3"),
                     stderr=subprocess.DEVNULL)
    out = client.communicate(timeout=300 * SLOW)[0]
    backend = [w for w in out.split() if w.isdigit()][0]
    r = t.stop(p)
    row = {x["PID"]: x for x in r.table("PID")}[backend]
    assert row["ABORTS"] == "2" and int(row["COMMITS"]) >= 3, r.out
    assert int(row["LONGEST(us)"]) >= 200000, r.out


@tool("pglocks", "bpf", "uprobe")
def pglocks(t):
    pg = Postgres.get(t)
    p = t.start()
    holder = t.spawn(*pg.command())
    holder.stdin.write("begin; lock table needle;\n")
    holder.stdin.flush()

    def locks(granted):
        r = subprocess.run(
            pg.command("select 'one' from pg_locks where granted = "
                       f"'{granted}' and relation = 'needle'::regclass"),
            text=True, stdout=subprocess.PIPE)
        return "one" in r.stdout
    t.wait_for(lambda: locks("t"), "lock")
    waiter = t.spawn(*pg.command("select count(*) from needle"))
    t.wait_for(lambda: locks("f"), "waiter")
    holder.stdin.write("commit;\n")
    holder.stdin.close()
    holder.stdin = None
    waiter.wait()
    holder.wait()
    rows = [x for x in t.stop(p).table("PID") if x.get("KIND") == "relation"]
    assert len(rows) == 1 and rows[0]["MODE"] == "1", rows
    assert float(rows[0]["WAIT(ms)"]) > 0, rows


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def connected(port):
    try:
        return socket.create_connection(("127.0.0.1", port), 1)
    except OSError:
        return None


@tool("rediscmds", "ptrace")
def rediscmds(t):
    if shutil.which("redis-server") is None:
        raise Skip("no redis-server")
    port = free_port()
    server = t.spawn("redis-server", "--port", port, "--bind", "127.0.0.1",
                     "--save", "", "--dir", t.tmp)
    conn = []

    def ready():
        conn.append(connected(port))
        return conn[-1]
    t.wait_for(ready, "redis-server")
    p = t.start("-p", server.pid)
    work = ["SET a 1"] * 30 + ["GET a"] * 20 + \
        ["EVAL \"return redis.call('incr','n')\" 0"]
    with conn[-1] as s:
        f = s.makefile("rw")
        for cmd in work:
            f.write(cmd + "\r\n")
            f.flush()
            if f.readline().startswith("$"):
                f.readline()
    r = t.stop(p)
    got = {x["COMMAND"]: x["CALLS"] for x in r.table("CALLS")}
    assert (got["set"], got["get"], got["eval"]) == ("30", "20", "1"), r.out
    assert "incr" not in got and sum(r.histogram().values()) >= 51, r.out


@tool("nginxreq", "ptrace")
def nginxreq(t):
    if shutil.which("nginx") is None:
        raise Skip("no nginx")
    port = free_port()
    t.tmp.chmod(0o777)
    group = grp.getgrgid(pwd.getpwnam("nobody").pw_gid).gr_name
    user = f"user nobody {group};" if os.geteuid() == 0 else ""
    paths = " ".join(f"{n}_temp_path {t.tmp}/{n};" for n in (
        "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    conf = t.file("nginx.conf", f"""
daemon off; worker_processes 1; pid {t.tmp}/pid; {user}
error_log {t.tmp}/error;
events {{ }}
http {{ access_log off; {paths}
	server {{ listen 127.0.0.1:{port};
		location / {{ return 200 "hello"; }} }} }}
""")
    server = t.spawn("nginx", "-e", t.tmp / "error", "-c", conf)
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children")
    t.wait_for(lambda: connected(port) and children.read_text(), "nginx")
    p = t.start("-p", children.read_text().split()[0])
    with connected(port) as s:
        for i in range(9):
            s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            while not s.recv(4096).endswith(b"hello"):
                pass
    r = t.stop(p)
    got = {x["WHAT"]: int(x["COUNT"]) for x in r.table("WHAT")}
    # The last one may still be there: it goes when its answer has gone.
    assert got["connections"] == 1 and got["requests"] in (8, 9), r.out
    assert sum(r.histogram().values()) == got["requests"], r.out
    server.terminate()
    server.wait()
